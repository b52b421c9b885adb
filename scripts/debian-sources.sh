#!/bin/sh
# debian-sources.sh: where this machine gets Debian from, in the form of a sources.list, for a Debian of its own in a folder.
apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' | sort -u | grep . && exit
echo 'debian-sources.sh: this machine has no lists of Debian: apt-get update brings them' >&2
exit 1
