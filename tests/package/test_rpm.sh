#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 3600
#
# The rpm packages of the committed tree, built by Debian's rpmbuild: they have exactly what "make install" installs,
# and the documents. In a clean system they install, upgrade, keep the administrator's changes, and leave none of
# their files behind. The system is Debian's, so dependencies are not checked. RPMS=FOLDER: uses packages that were
# built before.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
. tests/package/lib.sh

unit=/usr/lib/systemd/system/rwalker-flight.service
enabled=/etc/systemd/system/multi-user.target.wants/rwalker-flight.service

build() {
	rpms=${RPMS-}
	if [ -z "$rpms" ]; then
		rm -rf build/rpm
		rpms=build/rpm/RPMS
		make rpm RPMFLAGS="--nodeps --define 'clang clang-14' --define 'llvm_strip llvm-strip-14'" >"$scratch/log" 2>&1 ||
			{ not_ok "rpm: builds" "$(tail -n 3 "$scratch/log" | tr '\n' ' ')"; return 1; }
	fi
	record=$(find "$rpms" -name 'rwalker-record-[0-9]*.rpm' | head -n 1)
	report=$(find "$rpms" -name 'rwalker-report-[0-9]*.rpm' | head -n 1)
	verdict "rpm: two packages" "'$record' and '$report' in '$rpms'" [ -e "$record" -a -e "$report" ]
}

# Files as the spec installs them: zsh's functions are not in the same place as in Debian.
installed() {
	make -s install PREFIX=/usr SYSCONFDIR=/etc ZSHDIR=/usr/share/zsh/site-functions UNITDIR="${unit%/*}" \
		DESTDIR="$scratch/installed" >"$scratch/log" 2>&1 ||
		not_ok "rpm: make install" "$(tail -n 1 "$scratch/log")"
	find "$scratch/installed" -type f -printf '/%P\n' | sort
}

# Files of a package, without what rpmbuild adds, compressed or not.
packed() {
	rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$record" "$report" |
		sed -n 's/^-[^ ]* //p' | grep -v '^/usr/share/\(doc\|licenses\)/' | sed '/\/man\//s/\.gz$//' | sort
}

# scriptlets PACKAGE: without the lines that name them.
scriptlets() { rpm -qp --scripts "$1" | grep -v 'scriptlet (using /bin/sh):$'; }

test_contents() {
	installed >"$scratch/install.list"
	packed >"$scratch/packed.list"
	verdict "rpm: what 'make install' installs" "$(diff "$scratch/install.list" "$scratch/packed.list" | grep '^[<>]' | head -n 5 | tr '\n' ' ')" \
		cmp -s "$scratch/install.list" "$scratch/packed.list"
	verdict "rpm: something is in it" "$(wc -l <"$scratch/packed.list") files" [ "$(wc -l <"$scratch/packed.list")" -ge 14 ]
	verdict "rpm: options may be changed" "$(rpm -qcp "$record")" [ "$(rpm -qcp "$record" "$report")" = $config ]
	verdict "rpm: its scripts are the shell's" "the shell cannot parse them" sh -n <(scriptlets "$record")
	verdict "rpm: the reporter has no scripts" "it has" [ -z "$(rpm -qp --scripts "$report")" ]
	! command -v rpmlint >/dev/null || {
		rpmlint contrib/rpm/rwalker.spec >"$scratch/log" 2>&1
		verdict "rpm: rpmlint" "$(grep ': E: ' "$scratch/log" | head -n 3 | tr '\n' ' ')" grep -q ' 0 errors, ' "$scratch/log"
	}
}

# The files in the system that belong to the packages, or have their name.
ours() { find "$root" -xdev -name '*rwalker*' ! -path "$root/given/*" ! -path "$root/var/lib/rpm/*" | sed "s|^$root||" | sort | tr '\n' ' '; }

# rpm_ok NAME OPTION...: runs rpm on the clean system.
rpm_ok() { succeeds "$1" rpm --root "$root" --dbpath /var/lib/rpm --force-debian --nodeps --nosignature "${@:2}"; }

# The next version has other options: the same recipe, without a build.
build_next() {
	local top=$scratch/next
	mkdir -p "$top"
	cp -a "$scratch/installed" "$top/files"
	echo '--max-dumps 30' >>"$top/files$config"
	sed "s|^Release: 1|Release: 2|; /^%prep/,/^%build/{/^%setup/d}; /^make .* all/d; /^make PREFIX/,/ install\$/c cp -a $top/files/. %{buildroot}/
		/^%\(license\|doc\)/d; /^%description\$/i AutoReqProv: no" contrib/rpm/rwalker.spec >"$top/next.spec"
	rpmbuild -bb --nodeps --define "_topdir $top/rpm" --define "rwalker_version $(rpm -qp --qf '%{VERSION}' "$record")" \
		--define '_build_id_links none' "$top/next.spec" >"$scratch/log" 2>&1 || not_ok "rpm: the next version" "$(tail -n 2 "$scratch/log" | tr '\n' ' ')"
	next=$(find "$top/rpm/RPMS" -name 'rwalker-record-[0-9]*.rpm' | head -n 1)
}

test_life() {
	unpack_root rpm || return
	mkdir -p "$root/usr/share/licenses" "$root"/usr/share/man/man{1,5} # on a system with rpm, some package has them
	files "$scratch/at_first"
	rpm_ok "rpm: install" -i "$record" "$report"
	verdict "rpm: the service's user" "there is none" has_user
	there "rpm: installed" $unit
	gone "rpm: installed, but not enabled" $enabled
	rpm_ok "rpm: nothing differs from the package" -V --nouser --nogroup rwalker-record rwalker-report
	echo '--max-dumps 3' >>"$root$config"
	in_root_ok "rpm: enable" systemctl enable rwalker-flight.service
	build_next
	rpm_ok "rpm: upgrade" -U "$next"
	verdict "rpm: what was changed stays" "the options are the package's" has_line $config '--max-dumps 3'
	there "rpm: the next version's options" $config.rpmnew
	verdict "rpm: what was enabled stays so" "it is not" [ -L "$root$enabled" ]
	make_a_dump
	rpm_ok "rpm: erase" -e rwalker-record rwalker-report
	gone "rpm: erased" $unit
	verdict "rpm: what was enabled is not any more" "it is" [ ! -L "$root$enabled" ]
	verdict "rpm: what was changed is kept aside" "it is not" has_line $config.rpmsave '--max-dumps 3'
	there "rpm: erased, but not the dumps" $dump
	rm -r "$root/etc/rwalker" "$root/var/lib/rwalker"
	verdict "rpm: nothing else is left" "$(ours)" [ -z "$(ours)" ]
	files "$scratch/now"
	verdict "rpm: no other file is left" "$(comm -13 "$scratch/at_first" "$scratch/now" | head -n 5 | tr '\n' ' ')" \
		[ -z "$(comm -13 "$scratch/at_first" "$scratch/now")" ]
}

[ "$(id -u)" = 0 ] || { echo "skip rpm - a clean system takes root"; exit 77; }
for tool in git rpmbuild mmdebstrap unshare; do
	command -v $tool >/dev/null || { echo "skip rpm - '$tool' is not installed"; exit 77; }
done
if build; then
	test_contents
	test_life
fi
exit $((failures > 0))
