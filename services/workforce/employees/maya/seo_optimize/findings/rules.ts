/** What is looked for, how much it matters, and why. Numbers are what search engines show or what their published guides ask for. */

export type Severity = 'high' | 'medium' | 'low'

interface Rule {
  readonly severity: Severity
  readonly why: string
}

const rule = (severity: Severity, why: string): Rule => ({ severity, why })

export const rules = {
  robots_noindex: rule('high', 'A page that forbids indexing is not found at all.'),
  robots_conflict: rule('high', 'Where two orders contradict each other, search engines take the stricter one.'),
  title_missing: rule('high', 'The title is the headline of a search result, and the first thing a page is judged by.'),
  title_several: rule('medium', 'Only one title counts, and which one is not for you to choose.'),
  title_long: rule('medium', 'Search results cut titles at about 600 pixels, which is some 60 characters.'),
  title_short: rule('medium', 'A title of a word or two gives nobody a reason to open the page.'),
  description_missing: rule('medium', 'Without a description, search engines show whatever text they find.'),
  description_several: rule('medium', 'Only one description counts, and which one is not for you to choose.'),
  description_long: rule('low', 'Search results cut descriptions at about 160 characters.'),
  description_short: rule('low', 'A short description leaves most of the room in a search result empty.'),
  head_broken: rule(
    'high',
    'What does not belong into a head ends it; what stands behind is taken for text of the page, and not obeyed.',
  ),
  canonical_several: rule('high', 'With several canonical addresses, search engines ignore them all.'),
  canonical_elsewhere: rule('high', 'A canonical address of another site gives that site the credit for this page.'),
  canonical_relative: rule('medium', 'A relative canonical address changes with the address that a page is called by.'),
  canonical_missing: rule('low', 'The same page under two addresses competes with itself.'),
  viewport_missing: rule(
    'high',
    'Without a viewport, phones show a page shrunk to a third; phones are what is indexed.',
  ),
  viewport_fixed: rule('medium', 'Who can’t read small letters can’t enlarge them.'),
  charset_missing: rule('medium', 'Without a declared encoding, letters with marks can come out as others.'),
  refresh: rule(
    'medium',
    'A page that leads away by itself confuses readers and search engines; a redirect does it cleanly.',
  ),
  language_missing: rule(
    'medium',
    'Screen readers choose their voice, and browsers their translation, by the declared language.',
  ),
  language_invalid: rule('medium', 'What is no language is ignored.'),
  language_wrong: rule(
    'medium',
    'A page that says it is in another language is read out wrongly and offered for translation.',
  ),
  hreflang_invalid: rule('medium', 'A pair of languages with one that does not exist is ignored.'),
  hreflang_relative: rule('medium', 'Addresses of other languages have to be whole, or they are ignored.'),
  hreflang_several: rule('medium', 'Two addresses for one language contradict each other.'),
  hreflang_self_missing: rule('low', 'A page has to name itself among its languages, or the set is not trusted.'),
  h1_missing: rule('medium', 'The main heading says what a page is about, to readers and to search engines.'),
  h1_several: rule('low', 'Several main headings leave open what the page is about.'),
  heading_empty: rule('medium', 'An empty heading is read out as one that says nothing.'),
  heading_skipped: rule(
    'low',
    'Readers with a screen reader go from heading to heading; a level left out sounds like something is missing.',
  ),
  heading_repeated: rule('low', 'Sections with the same heading can’t be told apart in a list of headings.'),
  link_empty: rule('medium', 'A link without a text says neither people nor search engines where it leads.'),
  link_vague: rule('low', 'The text of a link tells what the page behind it is about; this one would fit any page.'),
  link_dead: rule('medium', 'The place that the link leads to is not on the page.'),
  link_script: rule('medium', 'Search engines do not follow scripts.'),
  link_unencrypted: rule('low', 'An address without encryption makes browsers warn.'),
  image_alternative_missing: rule(
    'medium',
    'The alternative is what a picture is found by, and what is read out to who does not see it.',
  ),
  image_alternative_file: rule('low', 'The name of a file says nothing about what a picture shows.'),
  image_alternative_long: rule('low', 'A long alternative is read out in one go; what is long belongs into the text.'),
  image_unencrypted: rule('medium', 'Browsers do not load pictures without encryption on a page with it.'),
  image_size_missing: rule('low', 'Without width and height the text jumps when the picture has come.'),
  data_unreadable: rule('medium', 'Structured data that is no JSON is ignored as a whole.'),
  data_untyped: rule('medium', 'Without context and type nobody knows what the data means.'),
  data_incomplete: rule('medium', 'Without its required fields, structured data gives no rich result.'),
  data_sparse: rule(
    'low',
    'Recommended fields are what a result in a search shows; without them there is less to show.',
  ),
  data_invalid: rule('medium', 'A value in another form than asked for makes the data invalid.'),
  card_missing: rule(
    'low',
    'Without a title for its card, a page that is shared is shown as its address or by chance.',
  ),
  card_differs: rule('low', 'Who opens a shared page expects what its card says.'),
  content_thin: rule(
    'medium',
    'A page with little text often leaves questions open; a short one that answers is fine.',
  ),
  content_repeated: rule('medium', 'The same text twice tells nothing new, and reads like an accident.'),
  paragraph_long: rule('low', 'Long paragraphs are skipped, above all on phones.'),
  sentence_long: rule('low', 'Long sentences are hard to follow.'),
  reading_hard: rule('low', 'A text that only scholars follow is left by everyone else.'),
  keyword_not_in_title: rule('high', 'The most important keyword is expected in the title.'),
  keyword_not_in_heading: rule('medium', 'The most important keyword is expected in a heading.'),
  keyword_not_in_text: rule('medium', 'A page is not found by words that do not stand on it.'),
  keyword_stuffed: rule('high', 'Repeating a keyword reads badly, and search engines call it spam.'),
} as const satisfies Record<string, Rule>

export type RuleId = keyof typeof rules
