#!/bin/sh
# Asks a running payments API, on a laptop or deployed, whether it keeps its promises; needs sh and curl, nothing else.
# It must never print the API key, reuse an idempotency key of an earlier run, or leave a file behind.
set -u

usage() {
  cat >&2 <<'TEXT'
usage: npm run smoke -- --url URL --key KEY [--identity-token TOKEN]

  --url             base URL of payments-api, for example http://127.0.0.1:4242
  --key             a test API key of it (`npm start` prints one; `npm run api-key -- create` makes one)
  --identity-token  for a service that the platform closes by IAM: `gcloud auth print-identity-token`
TEXT
  [ $# -eq 0 ] || printf 'smoke: %s\n' "$1" >&2
  exit 2
}

url='' api_key='' identity_token=''
while [ $# -gt 0 ]; do
  case $1 in --url | --key | --identity-token) [ $# -ge 2 ] || usage "$1 needs a value" ;; esac
  case $1 in
    --url) url=${2%/} ;;
    --key) api_key=$2 ;;
    --identity-token) identity_token=$2 ;;
    *) usage "unknown argument $1" ;;
  esac
  shift 2
done
case $url in '') usage '--url is missing' ;; http://* | https://*) ;; *) usage '--url must begin with http:// or https://' ;; esac
# Both go into a file that curl reads, where a quote or a line break would mean something; neither has one.
case $api_key in '') usage '--key is missing' ;; *[!A-Za-z0-9_]*) usage '--key does not look like an API key' ;; esac
case $identity_token in *[!A-Za-z0-9._~+/=-]*) usage '--identity-token does not look like a token' ;; esac
command -v curl >/dev/null || usage 'curl is not installed'

umask 077
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# In a file and not among curl's arguments, which every user of the machine can list.
credentials() {
  printf 'header = "Authorization: Bearer %s"\n' "$1"
  # Leaves Authorization to the API's key where the platform asks for an identity of its own.
  [ -z "$identity_token" ] || printf 'header = "X-Serverless-Authorization: Bearer %s"\n' "$identity_token"
}
credentials "$api_key" >"$folder/right-key"
credentials 'sk_test_smoke000000000000000000000000' >"$folder/wrong-key"
credentials_file=$folder/right-key
# A proxy of the network never leads back to this machine.
case $url in http://127.0.0.1* | http://localhost*) direct='*' ;; *) direct=${no_proxy:-${NO_PROXY:-}} ;; esac

run="smoke-$(date +%s)-$(od -An -N6 -tx1 /dev/urandom | tr -d ' \n')"
# A customer of this run's own, so that its payments can be listed among those of everybody else.
customer="cus_$(printf %s "$run" | tr -d -- -)"
intents=/v1/payment_intents
passed=0 failed=0 fault=''

# send NAME METHOD PATH IDEMPOTENCY_KEY [CURL_ARGUMENTS]: leaves NAME.status, .headers, .body, .flat (one line) and .error.
send() {
  file=$folder/$1 method=$2 path=$3 key=$4
  shift 4
  printf '> %s %s%s\n' "$method" "$path" "${key:+   Idempotency-Key: $key}" >"$file.request"
  [ -z "$key" ] || set -- -H "Idempotency-Key: $key" "$@"
  : >"$file.headers"
  : >"$file.body"
  # -q first: a curlrc of the user could change anything below.
  curl -q -sS -K "$credentials_file" --noproxy "$direct" --connect-timeout 5 --max-time 30 -X "$method" \
    -D "$file.headers" -o "$file.body" -w '%{http_code}' "$@" "$url$path" >"$file.status" 2>"$file.error"
  awk '{ gsub(/\r/, ""); gsub(/" *: */, "\":"); printf "%s", $0 }' "$file.body" >"$file.flat"
}

# show NAME: prints what was sent and what came back; neither the API key nor a client secret is repeated.
show() {
  IFS= read -r line <"$folder/$1.request" && printf '%s\n< %s' "$line" "$(status_of "$1")"
  sed -n -E 's/[[:cntrl:]]$//; /^([Rr]equest-[Ii]d|[Oo]riginal-[Rr]equest|[Ii]dempotent-[Rr]eplayed|[Ss]tripe-[Ss]hould-[Rr]etry):/{ s/^/   /; p; }' "$folder/$1.headers" | tr -d '\n'
  printf '\n'
  printf '%s\n' "$(sed -n -e "1{ s/$api_key/.../g; s/\(_secret_\)[A-Za-z0-9]*/\1.../g; s/^\(.\{200\}\).*/\1/; s/^/  /; p; q; }" "$folder/$1.body")"
  [ ! -s "$folder/$1.error" ] || sed 's/^/  /' "$folder/$1.error"
}

exchange() {
  send "$@"
  show "$1"
}

# The want_ functions note what is not as it should be; `verdict` then tells and counts it.
want() { # want REASON COMMAND...
  reason=$1
  shift
  "$@" || fault="$fault; $reason"
}
status_of() { read -r status <"$folder/$1.status" || [ -n "$status" ] && printf %s "$status"; }
want_status() { want "$1 has status $(status_of "$1"), not $2" [ "$(status_of "$1")" = "$2" ]; }
want_body() { want "$1 lacks $2" grep -q -F -e "$2" "$folder/$1.flat"; }
want_header() { want "$1 lacks the header $2" has_header "$1" "$2"; }
want_same() { want "$1 and $2 differ" cmp -s "$folder/$1.body" "$folder/$2.body"; }
has_header() { grep -q -i -e "^$2[[:cntrl:]]\{0,1\}$" "$folder/$1.headers"; }
lacks_header() { ! has_header "$@"; }
want_replay_of() { # want_replay_of FIRST SECOND
  want_status "$2" "$(status_of "$1")"
  want_same "$1" "$2"
  want_header "$2" 'Idempotent-Replayed: true'
  want_header "$2" "Original-Request: $(header_of "$1" Request-Id)"
  want "$2 has the Request-Id of $1" [ "$(header_of "$2" Request-Id)" != "$(header_of "$1" Request-Id)" ]
}
header_of() { # in any case: HTTP/2 knows lower case only
  awk -v name="$2:" 'tolower($1) == tolower(name) { sub(/\r/, ""); print $2; exit }' "$folder/$1.headers"
}
# field NAME FIELD: the first text value with this name in the answer.
field() { tr '{,[' '\n\n\n' <"$folder/$1.flat" | sed -n "s/^ *\"$2\":\"\([^\"]*\)\".*/\1/p" | head -n 1; }

verdict() {
  if [ -z "$fault" ]; then passed=$((passed + 1)) && printf 'ok: %s\n\n' "$1"; else
    failed=$((failed + 1)) && printf 'FAILED: %s: %s\n\n' "$1" "${fault#; }"
  fi
  fault=''
}

give_up() {
  printf 'smoke: %s\n' "$1" >&2
  exit 1
}

pay() { # pay NAME IDEMPOTENCY_KEY AMOUNT PAYMENT_METHOD
  send "$1" POST $intents "$2" -d "amount=$3" -d currency=usd -d confirm=true -d "payment_method=$4" -d "customer=$customer"
}

# Is anybody there, and is it a payments API that knows the key?
send first GET "$intents?limit=1" ''
case $(status_of first) in
  000 | '') give_up "no answer from $url: $(cat "$folder/first.error")" ;;
  401) grep -q '"error":{' "$folder/first.flat" && give_up "the API at $url does not know this key" ;;
esac
grep -q -F '"object":"list"' "$folder/first.flat" || {
  show first
  give_up "$url does not answer like a payments API; a service closed by IAM needs --identity-token"
}

pay pay "$run-pay" 2000 pm_card_visa && show pay
want_status pay 200
want_body pay '"status":"succeeded"'
want_header pay "Idempotency-Key: $run-pay"
want_header pay "Original-Request: $(header_of pay Request-Id)"
want 'pay is a replay' lacks_header pay 'Idempotent-Replayed: true'
verdict 'create and confirm: a payment succeeds'
paid=$(field pay id)

pay pay_again "$run-pay" 2000 pm_card_visa && show pay_again
want_replay_of pay pay_again
verdict 'replay: the same bytes, marked as replayed'

pay mismatch "$run-pay" 2001 pm_card_visa && show mismatch
want_status mismatch 400
want_body mismatch '"type":"idempotency_error"'
verdict 'mismatch: the key is refused for another amount'

pay twin_a "$run-twin" 3000 pm_card_visa &
twin_a=$!
pay twin_b "$run-twin" 3000 pm_card_visa &
wait "$twin_a" "$!"
show twin_a
show twin_b
winner=twin_a loser=twin_b
if [ "$(status_of twin_a)" = 409 ] || has_header twin_a 'Idempotent-Replayed: true'; then winner=twin_b loser=twin_a; fi
want_status $winner 200
want "$winner is a replay" lacks_header $winner 'Idempotent-Replayed: true'
if [ "$(status_of $loser)" = 409 ]; then want_body $loser '"code":"idempotency_key_in_use"'; else want_replay_of $winner $loser; fi
verdict 'twins: of two at once one pays, the other repeats it or is told to come back'

pay twin_later "$run-twin" 3000 pm_card_visa && show twin_later
want_replay_of $winner twin_later
verdict 'twins: who comes later gets the same bytes'

pay decline "$run-decline" 2000 pm_card_visa_chargeDeclined && show decline
want_status decline 402
want_body decline '"type":"card_error"'
want_body decline '"code":"card_declined"'
want_body decline '"status":"requires_payment_method"'
verdict 'decline: 402 with the intent inside'

pay decline_again "$run-decline" 2000 pm_card_visa_chargeDeclined && show decline_again
want_replay_of decline decline_again
verdict 'decline: final for its key'

exchange retrieve GET "$intents/$paid" ''
want_status retrieve 200
want_same pay retrieve
verdict 'retrieve: the payment as it was answered'

exchange charge GET "/v1/charges/$(field pay latest_charge)" ''
want_status charge 200
want_body charge "\"payment_intent\":\"$paid\""
want_body charge '"paid":true'
verdict 'retrieve: its charge'

exchange update POST "$intents/$paid" "$run-update" -d 'metadata[order_id]=6735'
want_status update 200
want_body update '"metadata":{"order_id":"6735"}'
verdict 'update: metadata is stored'

exchange open POST $intents "$run-open" -d amount=1500 -d currency=eur -d "customer=$customer"
exchange cancel POST "$intents/$(field open id)/cancel" "$run-cancel" -d cancellation_reason=abandoned
want_status open 200
want_status cancel 200
want_body cancel '"status":"canceled"'
want_body cancel '"cancellation_reason":"abandoned"'
verdict 'cancel: an open intent ends'

exchange bad POST $intents "$run-bad" -d amount=-5 -d currency=usd -d "customer=$customer"
want_status bad 400
want_body bad '"type":"invalid_request_error"'
want_body bad '"param":"amount"'
verdict 'bad input: 400 that names the parameter'

exchange corrected POST $intents "$run-bad" -d amount=500 -d currency=usd -d "customer=$customer"
want_status corrected 200
want 'corrected is a replay' lacks_header corrected 'Idempotent-Replayed: true'
verdict 'bad input: its key was not used up'

exchange list GET "$intents?customer=$customer&limit=20" ''
want_status list 200
want_body list '"has_more":false'
listed=$(tr '{,[' '\n\n\n' <"$folder/list.flat" | grep -c '^"id":"pi_')
want "the list has $listed intents" [ "$listed" -eq 5 ]
verdict 'list: five keys made five intents, whatever was sent twice'

exchange route GET /v1/nothing ''
want_status route 404
want_body route '{"error":{'
want_header route 'Content-Type: application/json'
verdict 'unknown route: a JSON error'

credentials_file=$folder/wrong-key
exchange stranger GET "$intents/$paid" ''
want_status stranger 401
want_body stranger '{"error":{'
verdict 'a wrong API key: 401'

printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
