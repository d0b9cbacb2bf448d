"""Colours as people see them: contrast, distance in OKLab, and what remains of colours in three kinds of colour
blindness. A colour is three numbers from 0 to 255."""

# Machado, Oliveira and Fernandes (2009), severity 1, for linear light.
VISIONS = {
    'normal': ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    'protanopia': ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    'deuteranopia': ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    'tritanopia': ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
LINEAR_TO_LMS = ((0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566),
                 (0.0883024619, 0.2817188376, 0.6299787005))
LMS_TO_OKLAB = ((0.2104542553, 0.7936177850, -0.0040720468), (1.9779984951, -2.4285922050, 0.4505937099),
                (0.0259040371, 0.7827717662, -0.8086757660))


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def parse(text):
    """'#2c6bff' or 'rgb(44, 107, 255)'"""
    text = text.strip()
    if text.startswith('#'):
        return [int(text[i:i + 2], 16) for i in (1, 3, 5)]
    return [float(part) for part in text[text.index('(') + 1:-1].replace(',', ' ').split()[:3]]


def linear(color):
    return [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in color]


def luminance(color):
    return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear(color)))


def contrast(a, b):
    """The ratio of WCAG 2, from 1 to 21."""
    dark, light = sorted((luminance(a), luminance(b)))
    return (light + 0.05) / (dark + 0.05)


def oklab(light):
    return times(LMS_TO_OKLAB, [c ** (1 / 3) for c in times(LINEAR_TO_LMS, light)])


def distance(a, b, vision='normal'):
    """In OKLab, times 100, as seen with a kind of vision."""
    seen = [oklab([min(1, max(0, c)) for c in times(VISIONS[vision], linear(color))]) for color in (a, b)]
    return 100 * sum((x - y) ** 2 for x, y in zip(*seen)) ** 0.5


def between(stops, part):
    """The colour at a part from 0 to 1 of a ramp of evenly spaced stops."""
    at = min(1, max(0, part)) * (len(stops) - 1)
    low = min(len(stops) - 2, int(at))
    return [a + (b - a) * (at - low) for a, b in zip(stops[low], stops[low + 1])]
