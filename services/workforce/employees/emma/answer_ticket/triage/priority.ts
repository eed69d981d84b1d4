/** How soon somebody should look at a ticket, and why. */
import { dangerIn, harmIn, threatsIn } from './grave.ts'
import { patternOf, signsIn } from './signs.ts'

type Level = 'urgent' | 'high' | 'normal' | 'low'

export interface Priority {
  readonly level: Level
  /** What in the ticket says so, word for word. */
  readonly reasons: readonly string[]
}

/** Money that somebody says was taken wrongly, or has to come back: a demand, and no question how refunds go. */
const money = [
  '(?:charged?|billed|debited|invoiced|collected|paid) (?:me |us |\\p{L}+ (?:fee|amount|price|bill) )?(?:twice|again|two times|three times|\\d+ times)',
  'double charge\\w*|overcharged|overpaid|(?:charged?|collected|debited) (?:\\p{L}+ )?without|still (?:being )?charged',
  '(?:my|our|the) (?:money|cash) back|money (?:is )?(?:gone|missing|never)|(?:taking|took|taken) (?:\\p{L}+ |\\d+ ){0,4}(?:from|off) (?:me|us|my|our)',
  '(?:give|pay|send) (?:it|them|me|us|one|this|that)(?: of them)? back|return (?:the|my|our) (?:money|amount|payment|deposit)',
  'refund (?:it|me|us|this|that|please|now|was promised)|(?:want|demand|need|expect) (?:a|my|the|our) (?:full |whole |complete )?refund|reimburse (?:me|us)',
  '(?:refund|deposit|money) (?:was|has|is|did) (?:not|never)|never agreed|(?:i|we) (?:did|have) not (?:make|made|authori[sz]e\\w*|order\\w*)|got nothing',
].join('|')

/** A day alone is in no hurry, as in “Are you open tomorrow?”: something has to be there, or to be done, by then. */
const soon =
  '(?:needs?|needed|must|due|fix(?:ed)?|solved?|resolved?|reply|launch(?:es|ing)?|release|demo|presentation|interview|exam|audit|wedding|birthday|funeral|party|flight|flying|trip|leaving|moving|expires?)(?: \\p{L}+){0,4} (?:today|tonight|tomorrow)|(?:today|tonight|tomorrow) (?:at the latest|or never)'

/** Word by word, what speaks for a level; the first level of which something stands in the ticket is it. */
const signs: readonly {
  readonly level: Level
  readonly pattern: RegExp
  readonly grave?: (ticket: string) => string[]
}[] = [
  {
    level: 'urgent',
    grave: harmIn,
    pattern: patternOf(
      'emergency|production (?:is )?down|(?:is|are|went|completely|been) down(?! (?:the|to|a|on))|outage|data loss|lost all|all (?:our )?data (?:is )?gone|everything (?:is )?gone|(?:data|files|projects?|database) (?:has |have |are |is |were )?(?:vanished|disappeared|overwr\\w+)|overwr(?:ote|itten)|hacked|breach|leaked|stolen|compromised|public (?:github|repo\\w*)|nothing works|(?:nobody|no one)(?: (?:in|at|on|of) (?:\\p{L}+ ){1,4})? ?can(?:not)?|none of our|to (?:every|all) (?:users?|customers?|visitors?)|some(?:one|body) (?:else )?(?:is|has been) using (?:my|our)|(?:key|password|token|credentials) to a public|all (?:our )?(?:users|customers) (?:are|can)|right now|urgent|urgently|asap|immediately|losing (?:money|customers|sales)',
    ),
  },
  {
    level: 'high',
    grave: ticket => [...dangerIn(ticket), ...threatsIn(ticket)],
    pattern: patternOf(
      `deadline|${soon}|as soon as possible|quickly|important|blocked|blocking|can(?:not|'t|t) (?:work|log ?in|sign in|access|pay)|locked out|${money}|keeps? (?:failing|crashing|dying)|crash(?:es|ed|ing)?|broken|not working|stopped working|doesn'?t work|still (?:waiting|not|has not|have not|hasn't|haven't)|third time|again and again|unacceptable|cancel (?:my|our) (?:subscription|contract|account)|suspended|500 errors?|vulnerability|every (?:single )?time|(?:have|been|am) waiting|(?:does not|doesn't) work|of other (?:customers|users|people)`,
    ),
  },
  {
    level: 'low',
    pattern: patternOf(
      'feature request|suggestion|would be (?:nice|great|cool)|nice to have|no (?:hurry|rush)|whenever you|just (?:curious|wondering)|when you have time|dark (?:mode|theme)|an idea|(?:is|are|looks?) (?:lovely|great|beautiful)|all is (?:fine|well|good)|(?:may|can) close this|roadmap|feedback|typo|cosmetic|font|love your|great (?:product|job|work)',
    ),
  },
]

export function priorityOf(ticket: string): Priority {
  for (const { level, pattern, grave } of signs) {
    const reasons = [...(grave?.(ticket) ?? []), ...signsIn(ticket, pattern, isDemanded)]
    if (reasons.length > 0) return { level, reasons: reasons.slice(0, 5) }
  }
  return { level: 'normal', reasons: [] }
}

/** Who asks how long, or whether, something may be sent back demands nothing. */
const isDemanded = (found: string, before: string): boolean => !(isSending.test(found) && asked.test(before))
const isSending = /^(?:send|give|return)\s/
const asked =
  /(?<![\p{L}\p{N}])(?:how (?:long|much time|many days)|(?:can|could|may|must|should|do|shall) (?:i|we))(?![\p{L}\p{N}])[^.?!\n]*$/u
