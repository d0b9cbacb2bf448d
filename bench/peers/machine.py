"""The machine that the numbers were measured on."""

import os
import pathlib
import platform
import subprocess

# Newest first; the first that the processor lists is reported.
INSTRUCTION_SETS = ("amx_tile", "avx512_bf16", "avx512_vnni", "avx512f", "avx_vnni", "avx2", "sse4_1", "sve", "asimd")


def cpu_field(*names: str) -> str:
    """The first of these fields in /proc/cpuinfo; x86 and ARM name theirs differently."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in reversed(lines))}
    return next((fields[name] for name in names if name in fields), "")


def heed_version(binary: pathlib.Path) -> str:
    try:
        text = subprocess.run([str(binary), "--version"], capture_output=True, text=True, timeout=20).stdout
        return text.split()[1]
    except (OSError, IndexError, subprocess.SubprocessError):
        return "unknown"


def describe(heed: pathlib.Path) -> dict[str, str | int | float]:
    flags = cpu_field("flags", "Features").split()
    return {
        "cpu": cpu_field("model name", "CPU part") or platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "instruction_set": next((name for name in INSTRUCTION_SETS if name in flags), platform.machine()),
        "load_at_start": os.getloadavg()[0],
        "heed": heed_version(heed),
    }
