"""The lab's models: alike in all but the mechanism."""

import shelf
from attnviz.tasks import Translator

MECHANISMS = ("additive", "bilinear", "dot", "cosine", "none")
ATTENTIVE = MECHANISMS[:-1]
LONGEST = 2000

EXAMPLES = {
    "A dog": "Un chien noir court dans la neige.",
    "A walk": "Une vieille dame promène son petit chien blanc dans le parc pendant que les enfants jouent.",
    "Swapped order": "La voiture rouge de mon voisin est plus rapide que la voiture bleue.",
    "Two sentences": "Un homme joue de la guitare. Une femme chante dans la rue.",
    "A number": "Il y a 3 chats noirs et 2 chiens blancs dans le jardin.",
    "Technical": "Renvoie une copie de la liste dont tous les éléments sont triés.",
}


def translator(mechanism: str) -> Translator:
    """The lab's model with that mechanism, loaded once for everyone."""
    model: Translator = shelf.model(f"lab-{mechanism}")
    return model
