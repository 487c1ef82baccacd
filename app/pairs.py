"""Premises and hypotheses to begin with, one for each verdict and one that the model gets wrong."""

EXAMPLES = {
    "Entailed": (
        "Two small children are building a tower of red blocks on the carpet.",
        "Some kids are building a tower.",
    ),
    "Contradicted": (
        "Two small children are building a tower of red blocks on the carpet.",
        "The children are sleeping.",
    ),
    "Neither": (
        "A woman in a green coat waits at the bus stop with a suitcase.",
        "The woman is going on holiday.",
    ),
    "Nobody": ("A cyclist repairs his bike beside the road.", "Nobody is repairing a bike."),
    "A mistake": ("The dog chased the cat.", "The cat chased the dog."),
}
