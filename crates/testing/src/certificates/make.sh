#!/bin/sh
# Makes the certificates of tests with TLS on loopback, good for a hundred years: an authority with a server and a
# client, and a stranger that signed itself; and one that has expired. They guard nothing.
set -eu
cd "$(dirname "$0")"
key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"; }
signed() {
    key "$1"
    openssl req -new -key "$1.key" -subj "/CN=$2" -out "$1.csr"
    printf '%s\n' "$3" >"$1.ext"
    openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key -set_serial "$4" -days 36500 \
        -extfile "$1.ext" -out "$1.pem"
    rm "$1.csr" "$1.ext"
}
for name in authority stranger; do
    key "$name"
    openssl req -x509 -key "$name.key" -subj "/CN=hoap test $name" -days 36500 -out "$name.pem" \
        -addext 'keyUsage=critical,keyCertSign,digitalSignature'
done
signed server 'hoap test server' 'subjectAltName=IP:127.0.0.1,DNS:localhost' 2
signed elsewhere 'hoap test server' 'subjectAltName=DNS:elsewhere.example' 3
signed client script 'extendedKeyUsage=clientAuth' 4
rm authority.key

# One whose time is over, its own authority: `openssl req` has no past.
key expired
openssl req -new -key expired.key -subj '/CN=hoap test server' -addext 'subjectAltName=IP:127.0.0.1,DNS:localhost' \
    -out expired.csr
touch expired.index
printf '%s\n' '[ca]' 'database = expired.index' 'new_certs_dir = .' 'default_md = sha256' 'policy = any' \
    'rand_serial = yes' 'copy_extensions = copy' '[any]' 'commonName = supplied' >expired.cnf
openssl ca -batch -notext -name ca -config expired.cnf -selfsign -keyfile expired.key -in expired.csr -out expired.pem \
    -startdate 20200101000000Z -enddate 20200102000000Z
rm expired.csr expired.cnf expired.index* [0-9A-F]*.pem
