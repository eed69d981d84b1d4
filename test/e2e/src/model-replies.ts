/** What a scripted language model says well: for each kind of work that it does, or that it gives words to. */

/** All of the result. */
const post = {
  title: 'Our ovens now bake on night electricity',
  slug: 'our-ovens-bake-on-night-electricity',
  summary: 'Since March our bakery heats its ovens at night.',
  sections: [
    { heading: 'What we changed', text: 'Since March our three ovens heat up between 1 and 5 in the morning.' },
    { heading: 'What it brought', text: 'Bread is ready at 6. Come by at six and try the first loaf.' },
  ],
  tags: ['bakery'],
}
export const reply = {
  subject: 'Your teapot: a new lid is on its way',
  greeting: 'Dear Jo Miller,',
  paragraphs: ['Only the lid has to be replaced; nothing has to be sent back. A new lid goes out tomorrow.'],
  closing: 'Kind regards\nEmma from the tea shop',
  unanswered: [],
}
const code = {
  language: 'typescript',
  files: [
    {
      path: 'in-words.ts',
      text: [
        'export function inWords(seconds: number): string {',
        "  if (!Number.isInteger(seconds) || seconds < 0) throw new RangeError('no whole number from 0')",
        '  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]] as const',
        '  const parts: string[] = []',
        '  for (const [name, size] of units) {',
        '    const count = Math.floor(seconds / size)',
        '    seconds -= count * size',
        "    if (count > 0) parts.push(count + ' ' + name + (count === 1 ? '' : 's'))",
        '  }',
        "  return parts.slice(0, 2).join(' ') || '0 seconds'",
        '}',
        '',
      ].join('\n'),
    },
  ],
  explanation: 'It takes the two largest units that are not zero.',
  assumptions: [],
}

export const works = [
  ['maya', 'write_blog_post', post],
  ['emma', 'write_response', reply],
  ['alex', 'write_code', code],
] as const

/** A brief, where it is not the kind's example, and the words for it: the rest of the result is the work of rules. */
export const phrased = [
  {
    employee: 'maya',
    task: 'create_social_post',
    brief: { input: { platforms: ['x'], variants: 1, facts: ['On Saturday 14 March our repair café opens.'] } },
    words: {
      posts: [
        { platform: 'x', sentences: [{ source: 'facts[0]', text: 'Saturday 14 March: our repair café opens!' }] },
      ],
    },
  },
  {
    employee: 'maya',
    task: 'generate_ad_copy',
    brief: {
      topic: 'Oak stools',
      input: { platforms: ['meta'], variants: 1, facts: ['Each stool is made by hand in Bristol.'] },
    },
    words: {
      ads: [
        {
          platform: 'meta',
          parts: [
            {
              field: 'primary_text',
              sentences: [{ source: 'facts[0]', text: 'Made by hand in Bristol, stool by stool.' }],
            },
            { field: 'headline', sentences: [{ source: 'topic', text: 'Oak Stools' }] },
          ],
        },
      ],
    },
  },
  {
    employee: 'maya',
    task: 'seo_optimize',
    words: {
      title: 'Oak stools made by hand from one board of English oak',
      description:
        'Our stools are made by hand in Bristol, cut from one board of English oak, and come with a guarantee of ten years.',
      opening:
        'Each oak stool is cut from a single board and oiled three times. It carries 150 kg, at two heights: 45 cm and 65 cm.',
    },
  },
  {
    employee: 'emma',
    task: 'answer_ticket',
    words: {
      sentences: [
        { quote: 1, text: 'Within 30 days after its delivery you can return the item.' },
        { quote: 2, text: 'You pay no postage: it is free if the item was damaged or wrong.' },
      ],
    },
  },
  {
    employee: 'david',
    task: 'create_report',
    words: { summary: ['The table has 120 rows. Visits and orders rise and fall together.'] },
  },
] as const
