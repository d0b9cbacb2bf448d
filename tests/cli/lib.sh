# What the tests of the program share. They source it with the program as $1, and then stand in a folder of their own.
# shellcheck shell=bash
set -u
heed=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
passed=0
failed=0
# How check and refused call heed; a script may set these.
subcommand=()     # the words before their own arguments
stdin=/dev/null   # what heed reads
match=-E          # how grep takes patterns
stdout_at_error=  # "any": an error need not leave standard output empty

pass() { passed=$((passed + 1)); }
# fail WORDS…: counts a failure and shows what the last command printed.
fail() {
  echo "FAILED $*"
  tail -n 20 out err 2>/dev/null
  failed=$((failed + 1))
}
# The last line of a script: its exit code is the test's.
finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}

# expect NAME GOT WANTED
expect() {
  if [ "$2" = "$3" ]; then pass; return; fi
  echo "FAILED $1: got '$2', not '$3'"
  failed=$((failed + 1))
}

# holds NAME COMMAND…: the command succeeds.
holds() {
  local name=$1
  shift
  if "$@" >held 2>&1; then pass; else fail "$name: $(cat held)"; fi
}

# check NAME EXIT_CODE PATTERN ARGUMENTS…: heed ends with the code and prints the pattern somewhere. An error is one line
# on standard error, and nothing on standard output.
check() {
  local name=$1 code=$2 pattern=$3
  shift 3
  "$heed" "${subcommand[@]}" "$@" <"$stdin" >out 2>err
  local got=$?
  if [ $got -ne "$code" ]; then fail "$name: exit $got, not $code"; return; fi
  if ! cat out err | grep -q "$match" -- "$pattern"; then fail "$name: no '$pattern' in:"; return; fi
  if [ "$code" -ne 0 ] && { [ "$(wc -l <err)" -ne 1 ] || { [ -s out ] && [ "$stdout_at_error" != any ]; }; }; then
    fail "$name: an error is one line on standard error"
    return
  fi
  pass
}

# refused NAME EXIT_CODE PATTERN ARGUMENTS…: likewise, with the pattern in the error.
refused() {
  check "$@"
  grep -q "$match" -- "$3" err || fail "$1: no '$3' in the error"
}
