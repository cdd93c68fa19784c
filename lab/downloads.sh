# shellcheck shell=bash
# Sourced by the servers that run on Java: their programs from Maven Central, checked and kept in $LAB_HOME.
#
# downloads/NAME.sha256 names the artefact, group:artifact:version[:type:classifier], in its first line and has the
# SHA-256 of every file that is wanted after it: a jar with all that it needs at run time, or a zip alone.

maven_plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1
java_home() { echo "$LAB_HOME/$1-$(coordinate "$1" | cut -d: -f3)"; }
coordinate() { sed -n '1s/^# //p' "$lab/downloads/$1.sha256"; }

java_is_there() { command -v java >/dev/null || cannot "java is missing: apt-get install openjdk-17-jdk-headless"; }

# java_install NAME: the files of downloads/NAME.sha256 in $(java_home NAME), offline once they are there.
java_install() {
    local home new=$LAB_HOME/$1.new
    home=$(java_home "$1")
    java_is_there
    [ ! -d "$home" ] || return 0
    command -v mvn >/dev/null || cannot "mvn is missing, which downloads it: apt-get install maven"
    say "$name: downloading $(coordinate "$1")"
    { rm -rf "$new" && mkdir -p "$new/files"; } || failed "cannot write to $LAB_HOME"
    fetch "$1" "$new" >"$LAB_HOME/maven.log" 2>&1 ||
        cannot "Maven has not got $(coordinate "$1"): $(grep -m 1 ERROR "$LAB_HOME/maven.log")"
    # The files on the list, and no others.
    (cd "$new/files" && sha256sum --check --strict --quiet "$lab/downloads/$1.sha256" >&2) &&
        diff <(cd "$new/files" && find . -type f | sort) <(sed -n 's|^[0-9a-f]*  |./|p' "$lab/downloads/$1.sha256" | sort) >&2 ||
        failed "what Maven downloaded is not what $lab/downloads/$1.sha256 lists; it is in $new/files"
    if [[ $(coordinate "$1") == *:zip* ]]; then
        unpack "$new" || failed "cannot unpack $new/files"
    fi
    mv "$new/files" "$home" && rm -rf "$new"
}
# fetch NAME FOLDER: into FOLDER/files
fetch() {
    local group artifact version type classifier maven=(mvn -B -Dmaven.repo.local="$LAB_HOME/m2" -f "$2/pom.xml")
    IFS=: read -r group artifact version type classifier <<<"$(coordinate "$1")"
    cat >"$2/pom.xml" <<X
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>lab</groupId><artifactId>$1</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version>
    <type>${type:-jar}</type>${classifier:+<classifier>$classifier</classifier>}
    ${type:+<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>}
  </dependency></dependencies>
</project>
X
    "${maven[@]}" "$maven_plugin:copy-dependencies" -DoutputDirectory="$2/files" -DincludeScope=runtime
}
# unpack FOLDER: what the zip in FOLDER/files has in its one folder becomes FOLDER/files
unpack() {
    tool unzip unzip || return
    (cd "$1" && mkdir unpacked && unzip -q files/*.zip -d unpacked && rm -r files && mv unpacked/* files)
}

# loopback_only: prints the library that, preloaded, makes a server that would listen on every interface listen on
# 127.0.0.1 alone, for servers that have no setting for it.
loopback_only() {
    local so
    so=$LAB_HOME/loopback-$(sha256sum <"$lab/loopback.c" | cut -c1-16).so
    if [ ! -f "$so" ]; then
        cc -shared -fPIC -O2 -Wall -Werror -o "$so.new" "$lab/loopback.c" -ldl && mv "$so.new" "$so" || return
    fi
    echo "$so"
}
loopback_tools() { tool cc gcc libc6-dev; }
