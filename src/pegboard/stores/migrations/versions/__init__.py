"""One file a revision. A revision that has been released is never changed."""
