/** Whether a sentence says nothing but where something else is said: “See the section Refunds.” */
export const pointsElsewhere = (sentence: string): boolean =>
  POINTERS.some(pointer => pointer.test(sentence.trim().replace(/^[-*+>] /, '')))

const PLACE =
  '(?:the |our |your |this |that )?(?:(?:[\\w“”"\'’&/-]+ ){0,6})(?:section|chapter|page|article|guide|handbook|manual|document|documentation|faq|appendix|website|site|link|table|entry|topic)s?|above|below|here|elsewhere|[“"‘\'[]'
const VERB = '(?:see|refer to|consult|read|check|visit|go to|turn to|have a look at|look (?:at|in|under|up))(?: also)?'

const POINTERS: readonly RegExp[] = [
  // "For refunds, please see the section Payments."
  new RegExp(
    `^(?:(?:for|on|about|to (?:learn|find out|read|know)|if|when) [^.;:]*?,? |[^.;:,]{1,60}: )?(?:please |you can |also )*${VERB}:? (?:in |under |at )?(?:${PLACE})[^.;]*[.!]?$`,
    'i',
  ),
  // "How refunds work is described in the section Payments."
  new RegExp(
    `^[^.;,]*\\b(?:described|explained|covered|found|answered|listed|documented|discussed) (?:in detail )?(?:in|under|on|at) (?:${PLACE})[^.;,]*[.!]?$`,
    'i',
  ),
]
