import type { Citation } from '../../src/answer.ts'
import type { Accuracy, Aspect, Method, Result } from './result.ts'

const LONGEST_QUOTE = 300

/** The result as somebody would read it out, with the sentences that it quotes. */
export function readingOf({ summary, method, texts, aspects }: Result): { text: string; citations: Citation[] } {
  const sentences = texts.flatMap(({ source, sentences }) =>
    sentences.map(({ text, scores }) => ({ source, quote: text, compound: scores.compound })),
  )
  const ranked = sentences.filter(({ quote }) => quote.length <= LONGEST_QUOTE).sort((a, b) => b.compound - a.compound)
  const best = ranked[0] && ranked[0].compound > 0 ? ranked[0] : undefined
  const last = ranked.at(-1)
  const worst = last && last.compound < 0 ? last : undefined
  const lines = [
    summary.compound === null
      ? `None of ${counted(summary.texts, 'text')} could be scored.`
      : `Of ${counted(summary.texts, 'text')} ${summary.scored === summary.texts ? '' : `${summary.scored} could be scored: `}${summary.positive} positive, ${summary.neutral} neutral, ${summary.negative} negative. The mean score is ${summary.compound} on a scale from -1 to 1.`,
    ...(summary.compound === null ? [] : [methodSaid(method)]),
    ...(best ? [`Most positive (${best.compound}): “${best.quote}”`] : []),
    ...(worst ? [`Most negative (${worst.compound}): “${worst.quote}”`] : []),
    ...aspects.filter(({ mentions }) => mentions > 0).map(aspectLine),
  ]
  const quoted = [best, worst].flatMap(found => (found ? { source: found.source, quote: found.quote } : []))
  return { text: lines.join('\n'), citations: quoted }
}

/** With how often such labels are right. */
function methodSaid({ model, accuracy }: Method): string {
  const by = model ? `Labels of texts are by sentence embeddings (${model}), scores by words` : 'Labels are by words'
  const [least, ...others] = accuracy.toSorted((a, b) => a.right - b.right)
  const most = others.at(-1)
  if (!least || !most) return `${by}.`
  const said = ({ texts, right }: Accuracy) => `${Math.round(100 * right)} (${texts})`
  return `${by}. Of 100 texts, ${said(least)} to ${said(most)} are labelled as people label them.`
}

const aspectLine = ({ aspect, label, compound, mentions, weighed, ...of }: Aspect) => {
  const count = counted(mentions, 'mention')
  if (weighed === 0) return `${aspect}: no word of feeling (${count})`
  // The mean of mentions that differ may be that of none of them.
  const labels = (['positive', 'neutral', 'negative'] as const).filter(one => of[one] > 0)
  const each = labels.length > 1 ? `: ${labels.map(one => `${of[one]} ${one}`).join(', ')}` : ''
  return `${aspect}: ${label} (${compound}, ${count}${each})`
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
