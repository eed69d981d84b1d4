/** What is graver than what a ticket is about otherwise: somebody is hurt or may be, or goes to law. */
import { patternOf, signsIn } from './signs.ts'

/** Somebody was hurt, or something burnt or burst. */
export const harmIn = (ticket: string): string[] => signsIn(ticket, harm, isTold)

/** Somebody may be hurt. */
export const dangerIn = (ticket: string): string[] => signsIn(ticket, danger, isTold)

/** Somebody goes to law, or to who watches over the trade. */
export const threatsIn = (ticket: string): string[] => signsIn(ticket, threats, () => true)

const whose = '(?:my|our|his|her|their|the|a)'
const body =
  '(?:hands?|fingers?|thumbs?|arms?|legs?|f(?:oo|ee)t|toes?|faces?|mouth|lips?|tongue|eyes?|skin|head|back|teeth|tooth|knees?|neck)'
const people =
  '(?:child\\w*|son|daughter|bab(?:y|ies)|kids?|toddler|wife|husband|partner|mother|father|mum|mom|dad|dog|cat|employees?|colleagues?|guests?)'
const oneself = `(?:myself|himself|herself|themselves|${whose} (?:\\p{L}+ )?${body})`
const somebody = `(?:me|him|her|them|someone|somebody|${whose} (?:\\p{L}+ )?${people}|${oneself})`

const harm = patternOf(
  [
    'electric(?:al)? shocks?|electrocut\\w+|shock (?:from (?:it|the|your|this)|when(?:ever)? (?:i|we|he|she|you) (?:plug|press|switch|touch|turn)\\w*)',
    `injur(?:ed|es|ing) ${somebody}|(?:was|were|got|been|is|are) (?:\\p{L}+ly )?(?:injured|hurt|electrocuted|scalded|poisoned)`,
    `caused? (?:\\p{L}+ ){0,2}injur(?:y|ies)|(?:burn(?:s|t|ed|ing)?|hurt|scald(?:s|ed)?|poison(?:s|ed)?) ${somebody}|cut ${oneself}`,
    `${whose} ${body} (?:was|were|got|is|are) (?:\\p{L}+ly )?(?:burn(?:t|ed)|cut|swollen|bleeding)|(?:first|second|third)-degree burns?`,
    `(?:fell|landed|went) (?:on|onto|into) ${somebody}|unconscious|concussion|hospitali[sz]ed|hospital because of (?:the|this|your)`,
    'vomit(?:ed|ing)|threw up|stomach (?:aches?|cramps?|pains?)|(?:adapter|battery|cable|charger|plug|socket) (?:has |had |is |was )?(?:melted|burnt|burst|swollen)',
    'allergic (?:reactions?|shock)|anaphyla\\w+|(?:came|come|broke) out in (?:a )?(?:rash|hives)|food poisoning',
    `made ${somebody} (?:\\p{L}+ )?(?:sick|ill)|(?:got|became|fell) (?:\\p{L}+ )?(?:sick|ill) (?:from|after|by)`,
    `chok(?:e|es|ed|ing) on|suffocat(?:ed|es|ing)|(?:nearly|almost) (?:chok|drown|suffocat)ed|(?:he|she|${people}) swallowed`,
    '(?:on|caught|catch(?:es|ing)?|cause[ds]? a|start(?:ed|s)? a|there was a) fire|(?:burst|went up) (?:in|into) flames',
    '(?<!(?:costs?|demand|prices?|sales|traffic|usage) (?:has |have )?)explod(?:ed|es|ing)',
    'smoke (?:is |are )?(?:com\\w+|from|out)|(?:began|begins|start(?:s|ed)) (?:to (?:smoke|smoulder|spark)|smoking|smouldering|sparking)',
    'sparked(?! (?:my|an|our|some|interest))|sparks (?:com\\w+|came|flew|fly|from|out)|smell(?:s|ed|ing)? (?:of |like )?(?:burning|gas)',
  ].join('|'),
)

/** “Dangerous goods” are a sort of parcel. */
const danger = patternOf(
  '(?:someone|somebody|people|children|a child) (?:can|could|may|might|will) (?:\\p{L}+ )?(?:be hurt|choke|die|fall(?! in love)|get hurt|trip)|dangerous(?! goods)|(?:a|real|great) danger|(?:choking|fire|safety) (?:hazard|risk)s?',
)

/** Who is a lawyer says nothing by it. */
const threats = patternOf(
  [
    '(?<!(?:am|as|for) an? )lawyers?|(?<!(?:am|as|for) an? )solicitors?|(?<!(?:(?:am|as|for) an|power of) )attorneys?',
    "legal (?:action|insurance|steps|proceedings|consequences)|lawsuit|su(?:e|ing) (?:you|your)|(?:i|we)(?:'ll|'m|'re| am| are| will| shall| want to)? (?:going to )?su(?:e|ing)",
    '(?:take|taking|took|bring|see) (?:you|this|it|them) (?:to|in|before) court|go(?:ing)? to court|small claims',
    'consumer (?:protection|rights|advice)(?: \\p{L}+)?|trading standards|ombudsman|press charges',
  ].join('|'),
)

/** “Can it catch fire?”, “if it burns me” and “Nobody was hurt” tell of nothing. */
const isTold = (_: string, before: string): boolean => !supposed.test(before)
const supposed =
  /(?<![\p{L}\p{N}])(?:(?:can|could|may|might|does|do|will|would|is|are) (?:it|this|that|these|those|they|the|your)|if|in case)(?![\p{L}\p{N}])[^.?!,;\n]*$|(?<![\p{L}\p{N}])(?:nobody|no one)\s$/u
