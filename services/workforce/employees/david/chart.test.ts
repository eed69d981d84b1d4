import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ChartOption, drawChart } from './chart.ts'

const size = { width: 400, height: 200 }
const line = (data: number[], name = 'line'): ChartOption => ({
  title: { text: name },
  xAxis: { type: 'category', data: data.map(String) },
  yAxis: { type: 'value' },
  series: [{ type: 'line', name, data }],
})

describe('a chart', () => {
  it('is the same bytes each time', () => {
    const first = drawChart(line([1, 2, 3]), size, 'three values')
    drawChart(line([3, 2, 1]), size, 'others')
    assert.equal(drawChart(line([1, 2, 3]), size, 'three values'), first)
  })

  it('names its parts so that two get on in one page', () => {
    const names = (svg: string) => [...svg.matchAll(/ id="([^"]+)"/g)].map(([, name]) => name)
    const [a, b] = [drawChart(line([1, 2, 3]), size, ''), drawChart(line([1, 2, 4]), size, '')].map(names)
    assert.ok(a?.length && b?.length)
    assert.deepEqual(
      a.filter(name => b.includes(name)),
      [],
    )
    const svg = drawChart(line([1, 2, 3]), size, '')
    for (const [, name] of svg.matchAll(/url\(#([^)]+)\)/g)) assert.ok(names(svg).includes(name))
  })

  it('shows foreign text as text, and tells it to who does not see it', () => {
    const svg = drawChart(line([1, 2], '"><script>alert(1)</script> id="zr9-c1"'), size, '"><script>&')
    assert.doesNotMatch(svg, /<script/)
    assert.match(svg, /aria-label="&#34;&#62;&#60;script&#62;&#38;"/)
    assert.match(svg, /id=&quot;zr9-c1&quot;/)
  })
})
