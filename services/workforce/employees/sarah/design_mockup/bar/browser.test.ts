/** The HTML in a browser is what the pictures show: the same parts in the same places, and nobody is asked for anything. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { chromium as browser, chromiumMissing } from '@millhand/test-servers'
import { type Browser, chromium } from 'playwright-core'
import { themeOf } from '../../scene/theme.ts'
import { rules } from '../engine.ts'
import { type Laid, layOut } from '../page/layout.ts'
import { pageOf } from '../page/page.ts'
import { VIEWPORTS, type Viewport } from '../page/style.ts'
import type { Input } from '../result.ts'
import { shownAs } from '../shown.ts'
import { everyBlock } from './every-block.ts'

const example: Input = JSON.parse(readFileSync(new URL('../example.json', import.meta.url), 'utf8')).input

interface Seen {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

describe('the HTML of a mock-up, in Chromium', { skip: chromiumMissing() }, () => {
  let chrome: Browser
  before(async () => {
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update']
    chrome = await chromium.launch({ executablePath: browser, args: [...args, '--disable-sync'] })
  })
  after(() => chrome.close())

  for (const [name, input] of [
    ['the example', example],
    ['a page of every block', everyBlock],
    ['an app of every block', { ...everyBlock, layout: 'app' as const }],
  ] as const)
    it(`has the texts of ${name} where its pictures have them, at each width`, async () => {
      const { artifacts = [] } = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 7, input })
      const html = Buffer.from(artifacts.find(file => file.name === 'page.html')?.bytes ?? []).toString()
      for (const viewport of Object.keys(VIEWPORTS) as Viewport[]) {
        const tab = await chrome.newPage({ viewport: { width: VIEWPORTS[viewport].width, height: 800 } })
        const asked: string[] = []
        const said: string[] = []
        tab.on('request', request => asked.push(request.url()))
        tab.on('console', message => said.push(message.text()))
        await tab.setContent(html)
        await tab.evaluate('document.fonts.ready')
        const seen = (await tab.evaluate(TEXTS)) as Seen[]
        const wide = await tab.evaluate('document.documentElement.scrollWidth')
        await tab.close()
        const shown = shownAs(input).input
        const theme = themeOf({ name: shown.brand ?? shown.title, theme: 'light', ...shown }, 7)
        const drawn = textsIn(layOut(pageOf(shown), viewport, theme))
        assert.equal(wide, VIEWPORTS[viewport].width, `${viewport}: nothing is wider than the window`)
        assert.deepEqual(
          asked.filter(url => !/^(?:data:|about:)/.test(url)),
          [],
        )
        assert.deepEqual(said, [])
        assert.deepEqual(
          seen.map(({ text }) => text),
          drawn.map(({ text }) => text),
        )
        for (const [at, one] of drawn.entries()) {
          const other = seen[at] as Seen
          for (const side of ['x', 'y', 'width', 'height'] as const)
            assert.ok(
              Math.abs(one[side] - other[side]) <= 2,
              `${viewport}: ${side} of ${one.text} is ${one[side]} and ${other[side]}`,
            )
        }
      }
    })
})

/** Each text that is seen, with its box. */
const TEXTS = `[...document.querySelectorAll('.t')].flatMap(part => {
  const { x, y, width, height } = part.getBoundingClientRect()
  const text = part.value || part.placeholder || part.textContent
  return width === 0 ? [] : [{ text, x, y, width, height }]
})`

const textsIn = ({ text, box, children }: Laid): Seen[] => [
  ...(text ? [{ text: text.set.text, ...box }] : []),
  ...children.flatMap(textsIn),
]
