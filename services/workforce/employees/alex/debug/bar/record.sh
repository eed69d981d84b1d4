#!/bin/sh
# Runs the programs and keeps what they say when they fail: record.sh [case ...]
# Needs node 24, python3, go, a JDK, rustc, ruby and php; what is missing is left as it was. The programs run in /srv/app,
# so that the traces name no one's folders.
cd "$(dirname "$0")/cases" || exit 1
for case in ${@:-*}; do
  from=$PWD/$case
  rm -rf /srv/app && mkdir -p /srv/app && cd "$from" || exit 1
  find . -name '*.txt' ! -name trace.txt | while read -r file; do
    mkdir -p "/srv/app/$(dirname "$file")" && cp "$file" "/srv/app/${file%.txt}"
  done
  cd /srv/app && { [ ! -d installed ] || mv installed node_modules; } || exit 1
  case $case in
    js-* | ts-*) set -- node --disable-warning=ExperimentalWarning "$(ls main.*)" ;;
    py-*) set -- /usr/bin/python3 main.py ;;
    go-*) go build -o main main.go && set -- ./main ;;
    java-*) javac Main.java && set -- java Main ;;
    rust-*) rustc --edition 2021 -g -o main main.rs && set -- env RUST_BACKTRACE=1 ./main ;;
    rb-*) set -- ruby main.rb ;;
    php-*) set -- php -d log_errors=1 -d error_log= -d display_errors=0 main.php ;;
  esac
  if [ "$1" = env ] || command -v "$1" > /dev/null; then "$@" 2> "$from/trace.txt" > /dev/null; fi
  cd "$from/.." || exit 1
done
rm -rf /srv/app
