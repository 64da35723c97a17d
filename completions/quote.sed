# A text as lines of one C string.
s/[\\"]/\\&/g
s/^/"/
s/$/\\n"/
