/** Whether a sentence says nothing but where something else is said: “See the section Refunds.” */
export function pointsElsewhere(sentence: string): boolean {
  const bare = sentence.trim().replace(/^[-*+>] /, '')
  if (bare.length > LONGEST) return false
  return POINTERS.some(pointer => {
    const found = pointer.exec(bare)
    if (found === null || instruction.test(found[1] ?? '')) return false
    const title = found.groups?.title
    return title === undefined || TITLE.test(title)
  })
}

/** Longer sentences say more than where to look. It also bounds the time that the patterns take. */
const LONGEST = 400

const NAMED =
  '(?:the |our |your |this |that )?(?:[\\w“”"\'’&/-]+ ){0,6}(?:section|chapter|page|article|guide|handbook|manual|document|documentation|faq|appendix|website|site|link|table|entry|topic)s?'
const PLACE = `${NAMED}|above|below|here|elsewhere|[“"‘'[]`
const VERB = '(?:see|refer to|consult|read|turn to|have a look at|look (?:at|in|under|up))(?: also)?'
/** These tell where to go as often as where to read. */
const GOING = '(?:go to|visit|check)(?: also)?'
const QUOTED = '[“"‘\'][^“”"‘\'.;]{1,80}[”"’\']|\\[[^\\]]{1,80}\\](?:\\([^)\\s]{1,200}\\))?'
/** Words with a capital, as titles have them; the patterns around it do not look at the case. */
const TITLE = new RegExp(
  `^(?:${QUOTED}|[\\p{Lu}\\d][\\p{L}\\d’'-]*(?: (?:and|or|of|the|for|[\\p{Lu}\\d][\\p{L}\\d’'-]*)){0,5})$`,
  'u',
)
const BEFORE =
  '^(?:(?:for|on|about|to (?:learn|find out|read|know)|if|when) [^.;:]*?,? |[^.;:,]{1,60}: )?(?:please |you can |also )*'

/** The first group of each is what stands from the verb, or from the place. */
const POINTERS: readonly RegExp[] = [
  // "For refunds, please see the section Payments."
  new RegExp(`${BEFORE}(${VERB}:? (?:in |under |at )?(?:${PLACE})[^.;]*[.!]?)$`, 'iu'),
  // "Visit our website." “Visit our shop section in Berlin” says more.
  new RegExp(
    `${BEFORE}(${GOING}:? (?:(?:${NAMED}|above|below|here|elsewhere)(?: (?<title>[^.!]{1,160}))?|${QUOTED})[.!]?)$`,
    'iu',
  ),
  // "How refunds work is described in the section Payments."
  new RegExp(
    `^[^.;,]*\\b(?:described|explained|covered|found|answered|listed|documented|discussed) (?:in detail )?(?:in|under|on|at) ((?:${PLACE})[^.;,]*[.!]?)$`,
    'iu',
  ),
]

/** What to do there: “… and press Delete account”. */
const instruction =
  /(?:,|\band|\bthen|\bbefore)(?: and)?(?: then)?(?: (?:you|we)(?: can| must| should| may| will)?)? (?:press|click|tap|choose|select|pick|enter|type|log|sign|open|close|fill|follow|send|write|upload|download|copy|change|delete|remove|add|cancel|confirm|set|switch|turn|scroll|submit|pay|order|book|ask|call|use|start|stop|wait|reply|tick|save|print|scan|install|reset|restart|update|complete|request|return)(?:ing)?\b/i
