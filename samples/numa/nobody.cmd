--functions --node 2
exit 1
