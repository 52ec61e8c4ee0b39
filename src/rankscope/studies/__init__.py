"""One file per question asked of data; each answers with one result."""
