"""The reference, for tests: `score` reads a JSON array of texts and prints the package's scores of each, `sets` prints the
labelled texts of the package's source (hutto_ICWSM_2014, MIT) as {set: [[mean rating from -4 to 4, text], ...]}."""

import glob
import io
import json
import os
import sys
import tarfile

SCORES = ("compound", "pos", "neu", "neg")
SETS = {
    "tweets": "tweets",
    "product reviews": "amazonReviewSnippets",
    "film reviews": "movieReviewSnippets",
    "editorials": "nytEditorialSnippets",
}


def score():
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyser = SentimentIntensityAnalyzer()
    scores = (analyser.polarity_scores(text) for text in json.load(sys.stdin))
    return [[score[name] for name in SCORES] for score in scores]


def sets():
    (source,) = glob.glob(os.path.join(sys.prefix, "sources", "vaderSentiment-*.tar.gz"))
    with tarfile.open(source) as package:
        inner = next(name for name in package.getnames() if name.endswith("hutto_ICWSM_2014.tar.gz"))
        content = io.BytesIO(package.extractfile(inner).read())
    with tarfile.open(fileobj=content) as data:
        return {name: rows(data.extractfile(f"hutto_ICWSM_2014/{file}_GroundTruth.txt")) for name, file in SETS.items()}


def rows(file):
    cells = (line.split("\t") for line in file.read().decode("utf-8").split("\r\n") if line)
    return [[float(rating), text] for _, rating, text in cells]


if __name__ == "__main__":
    json.dump({"score": score, "sets": sets}[sys.argv[1]](), sys.stdout)
