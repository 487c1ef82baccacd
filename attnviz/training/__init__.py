"""Training: recipes, data readers and the loop. Needs the extra attnviz[train]."""
