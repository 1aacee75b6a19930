# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What the page needs of these files: without indentation, and without comments that have lines of their own. Their last line
# ends in the mark that ends a comment.
s/^\t*//
/^\/\*/{
:more
/\*\/$/!{
N
b more
}
d
}
