/** What people call the same when they write to the support of software, whatever the product. */
import { stemOf } from '../../../src/text/english.ts'

/**
 * A line is a group, the words of which stand for each other. Written for support in general and not for one handbook: a word
 * belongs here when users of most services would say it. Those before the bar mean nearly the same; those behind it are near.
 */
const groups = `
task job assignment work | request run
machine server host computer box node pc laptop
key token credential secret | password
permission scope privilege right access | allow
picture image photo photograph jpeg png screenshot scan
sound audio recording voice speech wav mp3
invoice bill receipt | charge payment
customer client tenant user | account
price cost fee charge pay dollar euro expensive cheap cheapest pricing | plan bill free
free gratis unpaid | charge cost
plan subscription tier package
monthly month | period
daily day | today
yesterday today tomorrow date | day created time
delete remove erase wipe purge | clear drop destroy
cancel abort terminate kill halt stop | end quit interrupt
revoke disable deactivate invalidate | block kill dead remove cancel leak stolen
enable activate reactivate | turn switch
change switch alter modify edit adjust move migrate | set update another different other instead
replace exchange swap rotate substitute renew | successor new change
create make generate produce obtain | add new register issue get first
start launch begin boot run | execute
execute run process perform | start
restart reboot | start crash
setup install deploy | start require need
require need prerequisite
authenticate authorize authorization authentication login signin | key credential token sign
upload send submit post transfer | put
download fetch retrieve | content get
show display view see visualise
find search look lookup locate filter list query | yesterday specific certain only belong
lose lost lose gone missing vanish disappear forgot | nowhere
error failure fault problem issue bug mistake | fail wrong
fail break broke crash die broken | error lost
crash outage power blackout reboot | lost down survive
repair fix mend solve resolve correct | enable
retry again repeat resend redeliver | attempt
twice double duplicate two | repeat same once
queue line backlog waiting wait pending | queued
late delay lag | wait slow timeout
slow latency | late
fast quick quickly soon immediately instantly | second
limit cap maximum max restriction bound ceiling | most quota allowed up
quota allowance credit | limit
big large huge giant biggest largest size | over limit
small little tiny short
left remaining remain rest | still
reset renew restart midnight | anew
rollover roll carry leftover unused
expire expiry end lapse die | timeout valid automatically
timeout deadline time-out | expire drop late
valid good validity | expire
notification notify callback alert event webhook hook ping inform tell | whenever
done finished finish complete completed ready | end
endpoint url address receiver | target
signature sign hmac verify authentic genuine trust | check
check verify validate test
redirect 301 302 moved | follow
reader consumer subscriber listener | client
stream live realtime real-time streaming sse | event update progress
continue resume reconnect pick | again after
disconnect disconnected cut interrupt | drop lost broken
browser frontend website webpage page javascript
instance container replica pod | gpu
pause hibernate overnight | zero stop
scale grow | several more
several multiple many
cluster distributed several | machine
docker container compose
backup copy snapshot | restore
restore recover recovery | back copy
upgrade update release version newest | new change
compatible break breaking | stay
downgrade upgrade | change switch plan
usage consumption used statistics analytics consume ate | compute
budget spending spend cap | limit
vulnerability hole exploit flaw security
report tell contact write inform | quote
sandbox playground test try dummy trial staging | mode
leak expose publish public github stolen compromise steal hack | revoke
private internal lan local intranet | address
permit allow whitelist | permit
log logging verbose chatty | level
port address | http
configure setting set option configuration variable
output result response answer outcome
input payload body data | request
response answer reply
erase gdpr privacy | delete data
keep store retain retention save | kept
train finetune fine-tune tune training fit learn
example sample
epoch iteration | train
model network neural onnx | net
format type extension kind
colleague coworker employee staff agent assistant
text ocr read transcribe extract
draw logo design image | picture
llm gpt openai chatgpt language | model
batch bulk mass thousand
match map assign correlate | id
urgent priority important | first
order number id | metadata
tag label metadata
status state phase
progress percentage bar | event
hour second minute duration
memory ram gigabyte gb | out
cpu processor core | compute
offline down unavailable unreachable downtime | fail
http rest api
safe secure | protect
poll polling block synchronous | wait
include ship bundled built-in included deliver preinstalled | come
accept support supported handle | take
suspend suspended unblock | lift blocked locked
undo revert rollback undone | back bring return
identical same equal reproducible deterministic | seed
reproduce provoke simulate | purpose
project contractor temporary | until
separate own individual each | one
pdf csv json | download
reject refuse deny decline disallow forbid | block error
request call query | api hit
throttle rate | limit minute 429
space room storage disk capacity | quota free
mb mib megabyte kb kib gb gib gigabyte gig tb | size large
previous old former earlier
raise extend increase prolong | longer more higher
internet network online web | connection
connection wifi line | break
pytorch tensorflow keras framework | onnx
reuse | same again
dashboard console page
visitor | browser page
partial half halfway | keep
progress running ongoing | run
attacker hacker fraud fake | signature secret
parcel shipment consignment package | item order delivery
delivery shipping dispatch | parcel arrive order
postage freight shipping | delivery cost
return exchange | refund item
broken damaged defective faulty torn scratched | wrong
item article product goods | order
arrive come receive | delivery reach
warranty guarantee | repair defective
voucher coupon discount promo code gift
stock available availability sold
respond response reply answer acknowledge
follow watch monitor observe | progress live
warn warning alert notify | event
budget limit cap ceiling
grace overlap | both
size fit measurement
track tracking locate | parcel
`

/** The same for what people write to shops, landlords and offices. Which of these is meant is less sure: they are of all trades. */
const ofAllTrades = `
money cash | refund pay price
refund reimburse reimbursement repay | return money
buy purchase shop checkout | order pay
book booking reserve reservation appointment | slot
reschedule postpone rearrange shift | change date
branch shop store outlet site location | address
open opening hours | closed time
close closed shut | open holiday
holiday vacation christmas easter festive | closed open
weekend saturday sunday | open day
phone telephone call ring | contact number
contact email call write reach | phone
parking park garage | car vehicle
car vehicle van truck lorry
pet dog cat animal
child kid baby teenager minor | age old
age old adult | child young
student pupil senior pensioner | discount
discount reduction deal rebate saving bargain | cheap cheaper price
id identification identity passport licence license document paper proof
contract agreement lease terms | sign rent
deposit bond | refund pay
insurance insure insured coverage | damage claim cover
claim compensation compensate | insurance damage
steal theft stolen rob burglary thief | lost insurance
rent rental hire lease borrow
pay payment paid settle | charge card
card visa mastercard amex debit credit | pay payment
cheque transfer paypal bank iban | pay payment
instalment installment | pay monthly
overdue arrears unpaid missed | late pay
fine penalty surcharge fee | charge late
tax vat | invoice price
collect collection pickup | fetch deliver
courier carrier postman dhl ups | delivery parcel
join member membership enrol enroll register | account sign
notice resign leave quit | end cancel
relocate moving move | address
friend family partner spouse husband wife relative | someone
guest visitor companion | bring friend
allow permit forbid forbidden prohibit ban banned | rule
smoke smoking vape
heat heating warm cold temperature climate
noise loud noisy quiet
rain snow weather storm wind
camera cctv surveillance alarm guard | security
accident injury injured hurt collision | insurance
battery charger recharge | charge power
wheelchair accessible disability accessibility
toilet restroom bathroom
app application smartphone | phone
forget forgot forgotten remember | lost lose
code pin combination passcode | number password
lock unlock padlock | key locked
door gate entrance entry | access open
night evening midnight overnight | late hour
early morning dawn
minimum shortest least | short
refer referral recommend invite | friend
reward bonus loyalty | point
unsubscribe newsletter marketing | email
complain complaint unhappy dissatisfied | feedback
feedback review rating
maintenance servicing | repair service
spare replacement | part repair
manual instruction guide
assemble assembly | setup
recycle dispose | throw
abroad overseas international foreign country
summer winter season
broken broke damage dent scratch | repair
death dead died deceased inherit estate
`

const strengths = new Map<string, Map<string, number>>()
relateIn(groups, 0.9, 0.5)
relateIn(ofAllTrades, 0.7, 0.4)

function relateIn(groups: string, same: number, near: number): void {
  for (const line of groups.trim().split('\n')) {
    const [core = [], rim = []] = line.split(' | ').map(words => words.split(' ').map(stemOf))
    for (const one of core) {
      for (const other of core) relate(one, other, same)
      for (const other of rim) relate(one, other, near)
    }
  }
}

function relate(one: string, other: string, strength: number): void {
  if (one === other) return
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    const related = strengths.get(from) ?? new Map<string, number>()
    strengths.set(from, related.set(to, Math.max(strength, related.get(to) ?? 0)))
  }
}

/** The stems that stand for a stem, and how well, from 0 to 1; without the stem itself. */
export const synonymsOf = (stem: string): ReadonlyMap<string, number> => strengths.get(stem) ?? none

const none: ReadonlyMap<string, number> = new Map()

export const isSynonym = (stem: string): boolean => strengths.has(stem)
