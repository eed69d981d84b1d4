"""Prints what is made from the Python package vaderSentiment, from the repository's root:

    python=.venv/bin/python text=services/workforce/employees/src/text
    $python $text/vader/convert.py lexicon > $text/vader/lexicon.tsv
    $python $text/vader/convert.py words > $text/english-words.tsv
"""

import collections
import re
import sys

from reference import sets
from vaderSentiment import vaderSentiment

LEAST_COUNT = 4
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
ADDRESS = re.compile(r"https?:\S+|[@#]\w+|&\w+;")


def lexicon():
    """What the package knows of words, as its own analyser reads it."""
    analyser = vaderSentiment.SentimentIntensityAnalyzer()
    yield from (("word", word, f"{valence:g}") for word, valence in analyser.lexicon.items())
    # The analyser looks up one character at a time, so that the longer ones are never found.
    yield from (("emoji", emoji, words) for emoji, words in analyser.emojis.items() if len(emoji) == 1)
    yield from (("booster", word, f"{change:g}") for word, change in vaderSentiment.BOOSTER_DICT.items())
    yield from (("negation", word, "") for word in vaderSentiment.NEGATE)
    yield from (("phrase", words, f"{valence:g}") for words, valence in vaderSentiment.SPECIAL_CASES.items())


def words():
    """How often a word stands in the labelled texts, the commonest first."""
    count = collections.Counter()
    for rows in sets().values():
        for _, text in rows:
            count.update(WORD.findall(ADDRESS.sub(" ", text.lower())))
    common = (item for item in count.items() if item[1] >= LEAST_COUNT)
    yield from ((word, str(times)) for word, times in sorted(common, key=lambda item: (-item[1], item[0])))


for row in {"lexicon": lexicon, "words": words}[sys.argv[1]]():
    print("\t".join(row))
