/** Fields to fill in: each with its label, as a browser has them. */
import { circle, path, rect } from '../../picture/svg.ts'
import { box, control, type Draw, field as filled, type Part, said, saidIf } from '../page/part.ts'
import type { Field, Form } from '../result.ts'
import { action } from './action.ts'
import type { Place } from './place.ts'
import { section } from './section.ts'

export const form = (block: Form, place: Place): Part =>
  section(block, place, { width: 'slim' }, [
    box('form', 'form', [
      ...block.fields.map((each, at) => fieldOf(each, `${place.id}-${at + 1}`)),
      block.action === undefined && block.cancel === undefined
        ? undefined
        : box('div', 'actions', [
            block.action === undefined ? undefined : said('button', 'button', block.action, { type: 'submit' }),
            block.cancel === undefined ? undefined : action(block.cancel, 'button-quiet'),
          ]),
    ]),
  ])

function fieldOf(field: Field, id: string): Part {
  const { label, type = 'text', value, help, required = false, on = false, options = [] } = field
  const marked = required ? `${label} *` : label
  const helped = help === undefined ? {} : { 'aria-describedby': `${id}-help` }
  const helpPart = saidIf('p', 'small', help, { id: `${id}-help` })
  if (type === 'checkbox' || type === 'switch')
    return box('div', 'choice', [
      choice(type, on, { id, ...helped, required }),
      box('div', 'choice-said', [said('label', 'choice-name', marked, { for: id }), helpPart]),
    ])
  if (type === 'radio')
    return box(
      'div',
      'field',
      [
        said('p', 'field-name', marked, { id }),
        box(
          'div',
          'choices',
          [...new Set([...options, ...(value === undefined ? [] : [value])])].map((option, at) =>
            box('div', 'choice', [
              choice('radio', option === value, { id: `${id}-${at + 1}`, name: id }),
              said('label', 'choice-name', option, { for: `${id}-${at + 1}` }),
            ]),
          ),
        ),
        helpPart,
      ],
      { role: 'radiogroup', 'aria-labelledby': id, ...helped },
    )
  return box('div', 'field', [
    said('label', 'field-name', marked, { for: id }),
    entry({ ...field, type }, { id, required, ...helped }),
    helpPart,
  ])
}

function entry({ type, value, placeholder, options = [] }: Field, given: Record<string, string | boolean>): Part {
  const empty = value === undefined
  const text = value ?? placeholder ?? ''
  if (type === 'textarea')
    return filled('textarea', empty ? 'entry-tall-empty' : 'entry-tall', text, { ...given, placeholder })
  if (type === 'select') {
    const shown = text === '' || options.includes(text) ? options : [text, ...options]
    const chosen = text === '' ? (options[0] ?? '') : text
    return filled('select', 'entry-choice', chosen, given, {
      children: shown.map(option => said('option', 'option', option, { selected: option === chosen })),
      drawing: arrow,
    })
  }
  // Browsers write numbers and dates in a way of their own: what is given is shown as it is.
  const native = type === 'email' || type === 'password' ? type : 'text'
  const shown = { type: native, ...(type === 'number' && { inputmode: 'decimal' }), value, placeholder }
  return filled('input', empty ? 'entry-empty' : 'entry', text, { ...shown, ...given })
}

function choice(type: 'checkbox' | 'radio' | 'switch', on: boolean, given: Record<string, string | boolean>): Part {
  const kind = type === 'switch' ? { type: 'checkbox', role: 'switch' } : { type }
  return control(type === 'switch' ? 'switch' : 'box', drawings[type](on), { ...kind, ...given, checked: on })
}

const drawings: Readonly<Record<'checkbox' | 'radio' | 'switch', (on: boolean) => Draw>> = {
  checkbox: on => (room, theme) => [
    frame(room, 5, on, theme),
    ...(on
      ? [
          path('M6 11.5L9.5 15L16 7.5', 'none', {
            transform: `translate(${room.x.toFixed(2)} ${room.y.toFixed(2)})`,
            stroke: theme.onStrong,
            'stroke-width': 2,
          }),
        ]
      : []),
  ],
  radio: on => (room, theme) => [
    frame(room, 11, on, theme),
    ...(on ? [circle(room.x + 11, room.y + 11, 4, theme.onStrong)] : []),
  ],
  switch: on => (room, theme) => [
    frame(room, 12, on, theme),
    circle(room.x + (on ? 28 : 12), room.y + 12, 8, on ? theme.onStrong : theme.edge),
  ],
}

/** That there is more to choose from. */
const arrow: Draw = ({ x, y, width }, { muted }) => [
  path('M0 0H12L6 6Z', muted, { transform: `translate(${(x + width - 27).toFixed(2)} ${(y + 20).toFixed(2)})` }),
]

const frame = ({ x, y, width, height }: Parameters<Draw>[0], rx: number, on: boolean, theme: Parameters<Draw>[1]) =>
  rect({ x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1 }, on ? theme.strong : theme.ground, {
    rx: rx - 0.5,
    stroke: theme.edge,
  })
