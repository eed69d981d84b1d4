/** Texts in Markdown, and pages made of it, as packages have them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rules } from './engine.ts'
import type { Input } from './result.ts'

const judge = (input: Input) => rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input }).result
const found = (input: Input) => judge(input).findings.map(({ rule, place }) => `${rule} ${place.line}`)
const titles = (text: string) => judge({ text }).headings.map(({ level, text: title }) => `${level} ${title}`)

/** The form of the README of npm `zod`. */
const readme = `<p align="center">
  <img src="logo.svg" width="200px" align="center" alt="Zod logo" />
  <h1 align="center">Zod</h1>
  <p align="center">
    TypeScript-first schema validation with static type inference
    <br/>
    by <a href="https://x.example/colinhacks">@colinhacks</a>
  </p>
</p>
<br/>

<p align="center">
<a href="https://ci.example/zod"><img src="https://ci.example/badge.svg" alt="CI status" /></a>
<a href="https://npm.example/zod" rel="nofollow"><img src="https://shields.example/zod.svg"></a>
</p>

### [Read the docs →](https://zod.example/api)

<br/>

## What is Zod?

Zod is a TypeScript-first validation library. Define a schema and parse some data with it. You'll get back a _strongly typed_, **validated** result of \`z.infer<T>\`.

\`\`\`ts
# no heading
const User = z.object({ name: z.string() }); // [no](link)
\`\`\`

Features
--------

[![downloads](https://shields.example/dm.svg "Downloads")](https://npm.example/zod) See the [whole list][list].

[list]: https://zod.example/list
`

describe('a README', () => {
  it('has headings, links and pictures of HTML beside those of Markdown', () => {
    const { headings, images, links, proposals } = judge({ text: readme })
    assert.deepEqual(
      headings.map(({ level, text, line }) => [level, text, line]),
      [
        [1, 'Zod', 3],
        [3, 'Read the docs →', 17],
        [2, 'What is Zod?', 21],
        [2, 'Features', 30],
      ],
    )
    assert.deepEqual(images, { count: 4, without_alternative: 1 })
    assert.deepEqual(links, { internal: 0, external: 5, other: 0 })
    assert.equal(proposals.title, 'Zod')
    assert.equal(
      proposals.description,
      "Zod is a TypeScript-first validation library. Define a schema and parse some data with it. You'll get back a strongly typed, validated result of z.infer<T>.",
    )
  })

  it('has its main heading in tags, in all the ways that READMEs write it', () => {
    const rest = '\n\nA small library for stools of oak, with three legs or four.\n\n## Install\n\nRun it.\n'
    const headed = {
      Oakstool: '<h1 align=center>\n\n![logo](a.png)\n\nOakstool\n\n</h1>',
      'Oak stool': '[Deutsch](de.md) | English\n<h1 align="center">Oak <code>stool</code></h1>',
      'Oak  stools': '<a name="top"></a> <H1 align=center>Oak &nbsp;stools</H1>',
      Stool: '# ![Stool](logo.svg)',
      Stools: '<h1 align=center>\n\n![Stools](logo.svg)\n\n</h1>',
      Named: '# Named ![build](badge.svg)',
    }
    for (const [title, heading] of Object.entries(headed)) {
      const { proposals, headings, findings } = judge({ text: heading + rest })
      assert.equal(proposals.title, title.replaceAll(/\s+/g, ' '), heading)
      assert.deepEqual(
        headings.map(({ level }) => level),
        [1, 2],
        heading,
      )
      assert.ok(!findings.some(({ rule }) => rule === 'heading_empty' || rule === 'h1_missing'), heading)
    }
    assert.deepEqual(titles(`Write \`<h1>No</h1>\` in it.${rest}`), ['2 Install'])
    assert.deepEqual(titles(`Use \`\` a \` <h1>x</h1> \`\`.${rest}`), ['2 Install'])
    assert.deepEqual(titles('<h1>Oak\n\nA stool with legs.\n\n</h2>\n\nSit.\n'), ['1 Oak'])
    assert.equal(judge({ text: `<h1 align=center>Oak${rest}` }).proposals.title, 'Oak')
  })

  it('is mended in the form in which it is written', () => {
    const { findings } = judge({ text: readme })
    const after = (rule: string) => findings.filter(one => one.rule === rule).map(({ after: mended }) => mended)
    assert.deepEqual(after('h1_missing'), [])
    assert.deepEqual(after('heading_skipped'), ['## [Read the docs →](https://zod.example/api)'])
    assert.match(
      after('image_alternative_missing')[0] ?? '',
      /^<img src="https:\/\/shields\.example\/zod\.svg" alt="\[/,
    )
    const tagged = judge({ text: '<h1 id="top">Tea</h1>\n\n<h3 id="green">Green <b>tea</b></h3>\n' }).findings
    assert.equal(tagged.find(({ rule }) => rule === 'heading_skipped')?.after, '<h2 id="green">Green <b>tea</b></h2>')
  })

  it('has no headings in its code, comments and front matter', () => {
    const text =
      '---\ntitle: Tea\n---\n<!--\n\n# Hidden\n\n-->\n# Tea #\n\n~~~sh\n# a comment\n```\n## another\n~~~\n\n## Pots\n'
    assert.deepEqual(titles(text), ['1 Tea', '2 Pots'])
    assert.deepEqual(titles('Tea\n===\n\nPots\n---\n\n- one\n---\n\n| a |\n---\n'), ['1 Tea', '2 Pots'])
    assert.deepEqual(titles('A line about tea\n\n# Tea\n'), ['1 Tea'])
  })

  it('is not told that its code has long sentences and paragraphs', () => {
    const code = Array.from({ length: 90 }, (_, at) => `const value${at} = read the next value`).join('\n')
    for (const input of [
      { text: `# Tea\n\n\`\`\`js\n${code}\n\`\`\`\n` },
      { html: `<h1>Tea</h1><pre><code>${code}</code></pre>` },
    ])
      assert.deepEqual(
        found(input).filter(rule => /paragraph|sentence/.test(rule)),
        [],
      )
  })

  it('has no long paragraph where a list or a table has many entries', () => {
    for (const mark of ['-', '*', '1.', '|']) {
      const entries = Array.from({ length: 40 }, (_, at) => `${mark} The entry of the number ${at} |`).join('\n')
      const input = { text: `# Tea\n\nThese are the entries:\n${entries}\n` }
      assert.deepEqual(
        found(input).filter(rule => /paragraph|sentence/.test(rule)),
        [],
        mark,
      )
    }
  })

  it('may be hostile', { timeout: 300_000 }, () => {
    for (const part of [
      '<!--\n\n',
      '[![a](b',
      '```\n\n',
      '<p\n\n',
      '**a ',
      '[a]: b\n',
      'a\n=\n',
      '<br>\n\n',
      '`',
      '_a',
    ])
      try {
        judge({ text: part.repeat(Math.floor(900_000 / part.length)) })
      } catch (error) {
        assert.match(String(error), /parts of it|more than 50000|give a part/i)
      }
  })
})

/** The form of the pages of mdBook, which the Rust book has. */
const page = (main: string) => `<!DOCTYPE HTML>
<html lang="en" class="light sidebar-visible" dir="ltr">
  <head>
    <meta charset="UTF-8">
    <title>Storing Text with Strings - The Rust Programming Language</title>
    <meta name="description" content="">
    <meta name="viewport" content="width=device-width, initial-scale=1">
  </head>
  <body>
    <div id="mdbook-help-container"><div id="mdbook-help-popup"><h2 class="mdbook-help-title">Keyboard shortcuts</h2><p>Press <kbd>S</kbd> or <kbd>/</kbd> to search in the book</p></div></div>
    <nav id="mdbook-sidebar" class="sidebar" aria-label="Table of contents"></nav>
    <div id="mdbook-menu-bar" class="menu-bar sticky"><h1 class="menu-title">The Rust Programming Language</h1></div>
    <div id="mdbook-content" class="content"><main>${main}</main></div>
  </body>
</html>
`
const strings = `<h2 id="storing"><a class="header" href="#storing">Storing Text with Strings</a></h2>
<figure class="listing"><pre><code>fn main() { let mut s = String::new(); s.push('a'); }</code></pre><figcaption>Listing 8-11: Creating a new, empty String of text</figcaption></figure>
<p>We talked about strings in Chapter 4, but we’ll look at them in more depth now.</p>
<h3 id="new"><a class="header" href="#new">Creating a New String</a></h3>
<p>Many of the same operations are there.</p>
<h3 id="up"><a class="header" href="#up">Updating a String</a></h3>
<p>A String can grow in size.</p>`

describe('a page of a book', () => {
  it('is judged by the heading of its content, and not by that of the menu', () => {
    const { findings, proposals, keywords } = judge({ html: page(strings), keywords: ['ownership', 'rust'] })
    assert.deepEqual(proposals, {
      title: 'Storing Text with Strings',
      description: 'We talked about strings in Chapter 4, but we’ll look at them in more depth now.',
    })
    const mended = findings.filter(({ rule }) => rule === 'h1_missing')
    assert.deepEqual(
      mended.map(({ after, complete }) => [after, complete]),
      [['<h1 id="storing"><a class="header" href="#storing">Storing Text with Strings</a></h1>', true]],
    )
    assert.match(mended[0]?.message ?? '', /“The Rust Programming Language”, stands outside of the content/)
    assert.match(findings.find(({ rule }) => rule === 'keyword_not_in_heading')?.place.quote ?? '', /Storing Text/)
    assert.equal(keywords.length, 2)
  })

  it('has no title from a bar at its side', () => {
    const html =
      '<body><div class="sidebar"><h1>Docs</h1></div><div class="with-sidebar"><h1>How to plane oak</h1><p>Plane it along its grain.</p></div></body>'
    assert.equal(judge({ html }).proposals.title, 'How to plane oak')
  })

  it('has the heading of its content as its main one, and that of the menu below it', () => {
    const { findings, keywords } = judge({
      html: page(strings.replaceAll('h2', 'h1').replaceAll('h3', 'h2')),
      keywords: ['rust'],
    })
    assert.ok(!findings.some(({ rule }) => rule === 'h1_missing'))
    assert.equal(
      findings.find(({ rule }) => rule === 'h1_several')?.after,
      '<h2 class="menu-title">The Rust Programming Language</h2>',
    )
    assert.equal(keywords[0]?.in_main_heading, false)
  })

  it('is described without the sentence that announces a list', () => {
    const { proposals } = judge({
      html: page(
        '<h1>Getting Started</h1><p>Let’s start your journey! There’s a lot to learn. In this chapter, we’ll discuss:</p><ul><li>Installing it</li></ul><p>We discuss:</p>',
      ),
    })
    assert.equal(proposals.description, 'Let’s start your journey! There’s a lot to learn.')
  })

  it('keeps a main heading above its content that is its own', () => {
    const html =
      '<head><title>Oak stools by hand – Acme</title></head><body><header><h1>Oak stools by hand</h1></header><main><h2>Wood</h2><p>It is oak.</p></main></body>'
    assert.ok(!found({ html }).some(rule => rule.startsWith('h1_')))
  })
})
