/** The sheet as CSS. Nothing of a brief stands in it but colours that were read and written anew. */
import type { Theme } from '../../scene/theme.ts'
import { EAST_ASIAN, FAMILIES, type FamilyId, OTHERS } from '../../type/families.ts'
import { changesIn, SHEET, type StyleName } from './sheet.ts'
import { COLOURS, type Style, VIEWPORTS } from './style.ts'

/** Of the parts named; `faces` are the `@font-face` rules of the typefaces that the page needs. */
export function cssOf(used: ReadonlySet<StyleName>, theme: Theme, faces: readonly string[]): string {
  const names = Object.keys(SHEET).filter((name): name is StyleName => used.has(name as StyleName))
  const within = (viewport: 'tablet' | 'mobile') => [
    `@media (max-width: ${VIEWPORTS[viewport].below - 1}px) {`,
    ...names.flatMap(name => rule(`  .${name}`, changesIn(name, viewport))),
    `  .at-${viewport} { display: block; }`,
    `  .at-${viewport === 'tablet' ? 'desktop' : 'tablet'} { display: none; }`,
    '}',
  ]
  return [
    ...faces,
    ':root {',
    `  color-scheme: ${theme.id === 'dark' ? 'dark' : 'light'};`,
    ...COLOURS.map(colour => `  --${colour}: ${theme[colour]};`),
    `  --heading: ${stackOf(theme.heading)};`,
    `  --body: ${stackOf(theme.body)};`,
    '}',
    BASE,
    ...names.flatMap(name => rule(`.${name}`, SHEET[name])),
    '.at-tablet, .at-mobile { display: none; }',
    ...within('tablet'),
    ...within('mobile'),
  ].join('\n')
}

/** Browsers' own manners away, so that only the sheet speaks. */
const BASE = `*, *::before, *::after { box-sizing: border-box; margin: 0; padding: 0; border: 0; min-width: 0; }
body, body * { display: flex; flex-direction: column; align-content: flex-start; }
body { font: 400 16px/1.5 var(--body); color: var(--ink); background: var(--ground); text-rendering: geometricPrecision; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
.t { display: block; overflow-wrap: anywhere; font-optical-sizing: none; }
svg { display: block; flex-shrink: 0; }
svg * { display: inline; }
a { color: inherit; text-decoration: none; }
a:hover { text-decoration: underline; }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
button, input, select, textarea { font: inherit; color: inherit; background: none; appearance: none; resize: none; }
input, select { text-overflow: ellipsis; }
select { background: linear-gradient(45deg, transparent 50%, var(--muted) 50%) calc(100% - 20px) 19px / 6px 6px no-repeat, linear-gradient(135deg, var(--muted) 50%, transparent 50%) calc(100% - 14px) 19px / 6px 6px no-repeat; }
option { display: block; color: var(--ink); background: var(--ground); }
::placeholder { color: var(--muted); opacity: 1; }
ul, summary { list-style: none; }
summary::-webkit-details-marker { display: none; }
summary { cursor: pointer; }
.menu[open] .menu-links { display: flex; position: absolute; right: 20px; z-index: 1; margin-top: 8px; padding: 8px; background: var(--ground); border: 1px solid var(--rule); border-radius: 10px; }
.box, .switch { border: 1px solid var(--edge); background: var(--ground); }
.box { border-radius: 5px; }
.box[type="radio"] { border-radius: 50%; }
.switch { border-radius: 12px; }
.box:checked, .switch:checked { background: var(--strong); }
.box:checked::before { content: ""; width: 7px; height: 12px; margin: 2px 0 0 7px; border: solid var(--onStrong); border-width: 0 2px 2px 0; transform: rotate(45deg); }
.box[type="radio"]:checked::before { width: 8px; height: 8px; margin: 6px; border: 0; border-radius: 50%; background: var(--onStrong); }
.switch::before { content: ""; width: 16px; height: 16px; margin: 3px; border-radius: 50%; background: var(--edge); }
.switch:checked::before { margin-left: 19px; background: var(--onStrong); }`

function rule(selector: string, style: Style | undefined): string[] {
  const said = style === undefined ? [] : declarations(style)
  return said.length === 0 ? [] : [`${selector} { ${said.join('; ')}; }`]
}

function declarations(style: Style): string[] {
  const px = (value: number | '100%') => (typeof value === 'number' ? `${value}px` : value)
  const lines: Readonly<Record<string, string | false | undefined>> = {
    display:
      style.hidden === true
        ? 'none'
        : style.columns !== undefined
          ? 'grid'
          : style.hidden === false
            ? style.size === undefined
              ? 'flex'
              : 'block'
            : undefined,
    'flex-direction': style.row === undefined ? undefined : style.row ? 'row' : 'column',
    'flex-wrap': style.wrap && 'wrap',
    'grid-template-columns': style.columns !== undefined && `repeat(${style.columns}, minmax(0, 1fr))`,
    gap: style.gap !== undefined && px(style.gap),
    padding: style.padding?.map(px).join(' '),
    'padding-right': style.after !== undefined && px(style.after + (style.padding?.[1] ?? 0)),
    width: style.width !== undefined && px(style.width),
    'max-width': style.maxWidth !== undefined && px(style.maxWidth),
    height: style.height !== undefined && px(style.height),
    'min-height': style.minHeight !== undefined && px(style.minHeight),
    flex: style.grow === undefined ? false : style.grow === 0 ? '0 1 auto' : `${style.grow} 1 0`,
    'flex-shrink': style.firm === true && '0',
    'align-items': style.align,
    'justify-content': style.justify,
    'background-color': style.fill && `var(--${style.fill})`,
    border: style.line && `1px solid var(--${style.line})`,
    'border-top': style.above && `1px solid var(--${style.above})`,
    'border-radius': style.radius !== undefined && px(style.radius),
    'font-family': style.face && `var(--${style.face})`,
    'font-size': style.size !== undefined && px(style.size),
    'font-weight': style.weight !== undefined && String(style.weight),
    'line-height': style.leading !== undefined && String(style.leading),
    'letter-spacing': style.tracking !== undefined && `${style.tracking}em`,
    color: style.colour && `var(--${style.colour})`,
    'text-align': style.text,
  }
  return Object.entries(lines).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : `${name}: ${value}`,
  )
}

/** In the order in which typefaces are looked through for a letter. */
const eastern = Object.values(EAST_ASIAN)

const stackOf = (id: FamilyId): string =>
  [...new Set([FAMILIES[id], ...OTHERS, ...eastern].map(({ name }) => `'${name}'`)), FAMILIES[id].fallback].join(', ')
