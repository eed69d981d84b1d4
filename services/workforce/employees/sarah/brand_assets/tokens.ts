/** Design tokens, as CSS and in the format of the W3C's Design Tokens Community Group (2025.10). */
import { parse, rgb } from 'culori'
import { oklchOf } from '../colour/direction.ts'
import { STEPS } from '../colour/ramp.ts'
import { FAMILIES } from '../type/families.ts'
import type { Brand } from './brand.ts'

export function tokensCss({ palette, steps, direction }: Brand): string {
  const ramps = Object.entries(palette.ramps).flatMap(([name, ramp]) =>
    STEPS.map(step => `  --color-${name}-${step}: ${both(ramp[step])}`),
  )
  const themed = (theme: string, indent: string) =>
    palette.pairs
      .filter(pair => pair.theme === theme)
      .flatMap(({ use, text, background }) => [
        `${indent}--color-${use}: ${both(text)}`,
        `${indent}--color-${use}-ground: ${both(background)}`,
      ])
  const type = steps.flatMap(({ name, size_px, line_height, weight, letter_spacing_em }) => [
    `  --font-size-${name}: ${size_px / 16}rem;`,
    `  --line-height-${name}: ${line_height};`,
    `  --font-weight-${name}: ${weight};`,
    `  --letter-spacing-${name}: ${letter_spacing_em}em;`,
  ])
  return [
    ':root {',
    `  --color-base: ${both(palette.base)}`,
    ...ramps,
    ...(['heading', 'body'] as const).map(part => `  --font-${part}: ${stackOf(direction[part]).join(', ')};`),
    ...type,
    ...themed('light', '  '),
    '}',
    '@media (prefers-color-scheme: dark) {',
    '  :root {',
    ...themed('dark', '    '),
    '  }',
    '}',
    '',
  ].join('\n')
}

export function tokensJson({ palette, steps, direction }: Brand): string {
  const ramps = Object.entries(palette.ramps).map(([name, ramp]) => [
    name,
    Object.fromEntries(STEPS.map(step => [String(step), colourToken(ramp[step])])),
  ])
  const theme = (wanted: string) =>
    Object.fromEntries(
      palette.pairs
        .filter(pair => pair.theme === wanted)
        .flatMap(({ use, text, background }) => [
          [use, colourToken(text)],
          [`${use}-ground`, colourToken(background)],
        ]),
    )
  const type = steps.map(({ name, size_px, line_height, weight, letter_spacing_em }) => [
    name,
    {
      $value: {
        fontFamily: `{font.${name === 'body' || name === 'small' ? 'body' : 'heading'}}`,
        fontSize: { value: size_px, unit: 'px' },
        fontWeight: weight,
        letterSpacing: { value: Number((letter_spacing_em * size_px).toFixed(2)), unit: 'px' },
        lineHeight: line_height,
      },
    },
  ])
  const tokens = {
    color: {
      $type: 'color',
      base: colourToken(palette.base),
      ...Object.fromEntries(ramps),
      light: theme('light'),
      dark: theme('dark'),
    },
    font: {
      $type: 'fontFamily',
      heading: { $value: stackOf(direction.heading).map(plain) },
      body: { $value: stackOf(direction.body).map(plain) },
    },
    type: { $type: 'typography', ...Object.fromEntries(type) },
  }
  return `${JSON.stringify(tokens, null, 2)}\n`
}

const stackOf = (family: Brand['direction']['heading']) => [`'${FAMILIES[family].name}'`, FAMILIES[family].fallback]

const plain = (family: string) => family.replaceAll("'", '')

/** As a value of CSS, with what it is in OKLCH beside it. */
const both = (hex: string) => `${hex}; /* ${oklchOf(hex)} */`

/** A value has one colour space: what it is in OKLCH stands beside it. */
function colourToken(hex: string) {
  const { r = 0, g = 0, b = 0 } = rgb(parse(hex)) ?? {}
  const components = [r, g, b].map(part => Number(part.toFixed(4)))
  return {
    $value: { colorSpace: 'srgb', components, alpha: 1, hex },
    $extensions: { 'millhand.oklch': oklchOf(hex) },
  }
}
