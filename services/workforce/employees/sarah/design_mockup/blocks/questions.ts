/** Questions with their answers. */
import { box, type Part, said } from '../page/part.ts'
import type { Questions } from '../result.ts'
import type { Place } from './place.ts'
import { innerLevel, section } from './section.ts'

export const questions = (block: Questions, place: Place): Part =>
  section(block, place, { width: 'narrow', bare: true }, [
    box(
      'div',
      'questions',
      block.items.map(({ question, answer }) =>
        box('div', 'question', [said(innerLevel(block, place), 'asked', question), said('p', 'muted', answer)]),
      ),
    ),
  ])
