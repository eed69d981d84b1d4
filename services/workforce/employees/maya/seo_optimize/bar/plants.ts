/** Faults planted in clean pages, each as somebody makes them. */
import type { RuleId } from '../findings/rules.ts'

export interface Plant {
  readonly rule: RuleId
  /** What stands in the clean page, and what stands there instead. */
  readonly from: string
  readonly to: string
  /** What the finding has to point at, where that is not all of `to`. */
  readonly at?: string
}

export interface PlantedPage {
  readonly page: string
  readonly keywords?: readonly string[]
  readonly plants: readonly Plant[]
}

const plant = (rule: RuleId, from: string, to: string, at?: string): Plant => ({ rule, from, to, ...(at && { at }) })

const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
const longTitle = 'Sourdough bakery in Leeds with fresh bread, buns and courses every day of the week | Mill Lane Bread'
const sentence =
  'The water that you see at the foot of the cliff in the morning is not the water that will be there when you come back in the afternoon with wet shoes and a tired dog and the wish to be at home before the light is gone'

export const plantedPages: readonly PlantedPage[] = [
  {
    page: 'bakery.html',
    plants: [
      plant('title_missing', '<title>Sourdough bakery in Leeds | Mill Lane Bread</title>', '', '<head>'),
      plant(
        'image_alternative_missing',
        ' alt="Six round loaves on a wooden rack, dusted with flour"',
        '',
        '<img src="/loaves',
      ),
      plant('data_incomplete', '"name": "Mill Lane Bread",', '', '"@type": "LocalBusiness"'),
    ],
  },
  {
    page: 'bakery.html',
    plants: [
      plant('title_long', 'Sourdough bakery in Leeds | Mill Lane Bread</title>', `${longTitle}</title>`),
      plant('robots_noindex', 'content="index, follow, max-image-preview:large"', 'content="noindex, follow"'),
      plant('link_dead', '<a href="#find-us">', '<a href="#findus">'),
    ],
  },
  {
    page: 'bakery.html',
    plants: [
      plant('canonical_elsewhere', 'href="https://bread.example/"', 'href="https://staging.example/"'),
      plant('heading_empty', '<h2>How to order</h2>', '<h2> <br></h2>'),
    ],
    keywords: ['sourdough'],
  },
  {
    page: 'bakery.html',
    plants: [
      plant('robots_conflict', 'content="index, follow, max-image-preview:large"', 'content="index, noindex"'),
      plant('link_vague', 'how to reach us by bus</a>', 'click here</a>'),
      plant('language_invalid', 'lang="en-GB"', 'lang="en-UK"'),
    ],
  },
  {
    page: 'recipe.html',
    plants: [
      plant('title_short', 'Lentil soup with lemon, ready in 40 minutes', 'Soup'),
      plant('data_incomplete', '"image": ["https://soups.example/lentil.jpg"],', '', '"@type": "Recipe"'),
      plant('data_invalid', '"totalTime": "PT40M"', '"totalTime": "40 minutes"', '"@type": "Recipe"'),
    ],
  },
  {
    page: 'recipe.html',
    plants: [
      plant('charset_missing', '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">', '', '<head>'),
      plant('heading_skipped', '<h2>Ingredients</h2>', '<h4>Ingredients</h4>'),
      plant('image_alternative_file', 'alt="A bowl of orange soup with a slice of lemon"', 'alt="IMG_2041.jpg"'),
    ],
  },
  {
    page: 'recipe.html',
    plants: [
      plant(
        'description_missing',
        '<meta name="description" content="A red lentil soup with lemon and cumin for four people. It needs one pot, eight ingredients and forty minutes.">',
        '<meta name="description" content="">',
      ),
      plant(
        'data_unreadable',
        '"recipeIngredient": ["250 g red lentils", "1 lemon"],',
        '"recipeIngredient": ["250 g red lentils", "1 lemon",],',
      ),
      plant('image_size_missing', ' style="width: 100%; aspect-ratio: 3/2"', '', 'src="lentil.jpg"'),
    ],
  },
  {
    page: 'recipe.html',
    plants: [
      plant('keyword_not_in_text', 'ready in 40 minutes', 'ready in 40 minutes', '<h1>Lentil soup with lemon</h1>'),
      plant('h1_several', '<h2>Method</h2>', '<h1>Method</h1>'),
    ],
    keywords: ['lentil soup', 'chickpea'],
  },
  {
    page: 'article.html',
    plants: [
      plant('viewport_missing', `${viewport}\n`, '', '<head>'),
      plant('hreflang_invalid', 'hreflang="de-AT"', 'hreflang="de-AU-x-"'),
      plant('h1_missing', '<h1>How to read a tide table</h1>', '', '<body>'),
    ],
  },
  {
    page: 'article.html',
    plants: [
      plant('hreflang_relative', 'href="https://shore.example/de/gezeiten"', 'href="/de/gezeiten"'),
      plant('sentence_long', 'A tide table says so, years ahead and to the minute.', `${sentence}.`),
      plant('data_sparse', '"headline":"How to read a tide table",', '', '"@type":"BlogPosting"'),
    ],
  },
  {
    page: 'article.html',
    plants: [
      plant('hreflang_several', 'hreflang="de-AT"', 'hreflang="en"'),
      plant(
        'description_long',
        'Learn what its columns mean and how to work out the hours between.',
        'Learn what its columns mean, how to work out the hours between, why the clock matters, and what to do when the wind has pushed more water into the bay than the table knew of.',
      ),
      plant('heading_repeated', '<h2>Mind the clock</h2>', '<h2>The three columns</h2>', '<h2>The three columns</h2>'),
    ],
  },
  {
    page: 'article.html',
    plants: [
      plant(
        'hreflang_self_missing',
        '<link rel="alternate" hreflang="en" href="https://shore.example/tide-table">\n<link rel="alternate" hreflang="de-AT" href="https://shore.example/de/gezeiten">\n<link rel="alternate" hreflang="x-default" href="https://shore.example/tide-table">',
        '<link rel="alternate" hreflang="de-AT" href="https://shore.example/de/gezeiten">',
      ),
      plant('link_unencrypted', 'href="https://tides.example/stations"', 'href="http://tides.example/stations"'),
    ],
  },
  {
    page: 'article.html',
    plants: [
      plant(
        'head_broken',
        '<meta name="description"',
        '<div></div><meta name="description"',
        '<meta name="description"',
      ),
      plant('head_broken', '<link rel="canonical"', '<link rel="canonical"'),
      plant('head_broken', '<link rel="alternate" hreflang="en"', '<link rel="alternate" hreflang="en"'),
      plant('head_broken', '<link rel="alternate" hreflang="de-AT"', '<link rel="alternate" hreflang="de-AT"'),
      plant('head_broken', '<link rel="alternate" hreflang="x-default"', '<link rel="alternate" hreflang="x-default"'),
    ],
  },
  {
    page: 'product.html',
    plants: [
      plant('data_incomplete', '"price": "49.00", ', '', '"@type": "Offer"'),
      plant(
        'canonical_several',
        '<link rel="stylesheet"',
        '<link rel="canonical" href="https://kitchen.example/kettle?a=1"><link rel="stylesheet"',
      ),
      plant('link_script', '<a href="/kettle/manual">', '<a href="javascript:openManual()">'),
    ],
  },
  {
    page: 'product.html',
    plants: [
      plant('data_invalid', '"price": "49.00"', '"price": "$49.00"', '"@type": "Offer"'),
      plant('image_alternative_long', 'alt="A blue enamel kettle with a wooden handle"', `alt="${sentence}"`),
    ],
  },
  {
    page: 'product.html',
    plants: [
      plant(
        'link_empty',
        '<img src="/kettle.jpg" width="600" height="600" alt="A blue enamel kettle with a wooden handle">',
        '<img src="/kettle.jpg" width="600" height="600" alt="">',
        '<a href="/kettle/large">',
      ),
      plant('viewport_fixed', 'initial-scale=1, viewport-fit=cover', 'initial-scale=1, user-scalable=no'),
      plant(
        'content_repeated',
        '<p>We send the kettle within two working days. Delivery costs five dollars and is free from sixty.',
        '<p>The kettle is made of steel and coated with enamel twice. Its base is flat, so it works on induction as well as on gas. The handle is of beech and stays cool.</p><p>We send the kettle within two working days. Delivery costs five dollars and is free from sixty.',
      ),
    ],
  },
  {
    page: 'product.html',
    plants: [
      plant('data_untyped', '"@context": "http://schema.org", ', '', '<script type="application/ld+json">'),
      plant('keyword_not_in_heading', '<h1>', '<h1>'),
    ],
    keywords: ['stoves'],
  },
  {
    page: 'product.html',
    plants: [
      plant(
        'keyword_not_in_title',
        '<title>Enamel kettle, 2 litres, for all stoves</title>',
        '<title>Something for your kitchen</title>',
      ),
      plant(
        'keyword_stuffed',
        'The handle is of beech and stays cool.',
        'The enamel kettle. An enamel kettle is an enamel kettle: enamel kettle, enamel kettle! Enamel kettle? Enamel kettle. Enamel kettle, enamel kettle, enamel kettle, enamel kettle, enamel kettle.',
      ),
    ],
    keywords: ['enamel kettle'],
  },
  {
    page: 'event.html',
    plants: [
      plant('data_incomplete', '"location":{"@type":"Place","name":"Alder Wood"},', '', '"@type":"Event"'),
      plant('link_empty', '<a href="/" aria-label="Alder Wood">', '<a href="/">'),
      plant(
        'title_several',
        '<link rel="canonical"',
        '<title>Alder Wood and its bats at night</title><link rel="canonical"',
        '<title>Alder Wood and',
      ),
    ],
  },
  {
    page: 'event.html',
    plants: [
      plant('data_invalid', '"startDate":"2027-06-12T21:00:00+01:00"', '"startDate":"12 June 2027"', '"@type":"Event"'),
      plant('canonical_missing', '<link rel="canonical" href="https://wood.example/bats">', '', '<head>'),
      plant('language_missing', '<html lang="en">', '<html>'),
    ],
  },
  {
    page: 'event.html',
    plants: [
      plant('canonical_relative', 'href="https://wood.example/bats"', 'href="/bats"'),
      plant(
        'description_several',
        '<link rel="canonical"',
        '<meta name="Description" content="Bats in Alder Wood. Bats in Alder Wood. Bats in Alder Wood."><link rel="canonical"',
        '<meta name="Description"',
      ),
      plant(
        'refresh',
        '<meta charset="utf-8">',
        '<meta charset="utf-8"><meta http-equiv="refresh" content="5; url=/news">',
        '<meta http-equiv="refresh"',
      ),
    ],
  },
  {
    page: 'faq.html',
    plants: [
      plant(
        'data_incomplete',
        ', "acceptedAnswer": {"@type": "Answer", "text": "Nothing."}',
        '',
        '{"@type": "Question", "name": "What does it cost?"',
      ),
      plant('link_dead', 'href="#main"', 'href="#content"'),
    ],
  },
  {
    page: 'faq.html',
    plants: [
      plant(
        'description_short',
        'Everyone who lives, works or studies in the county gets a library card for free. Here is how to join, renew and replace it.',
        'All about library cards.',
      ),
      plant(
        'data_unreadable',
        '{"@vocab": "https://schema.org/"},',
        '{"@vocab": "https://schema.org/"}',
        '<script type="application/ld+json">',
      ),
      plant('link_vague', 'the branch nearest to you</a>', 'Read more…</a>'),
    ],
  },
  {
    page: 'faq.html',
    plants: [
      plant(
        'paragraph_long',
        'It also opens the reading room on Sundays.',
        `${'It also opens the reading room on Sundays. You may stay there until five. '.repeat(14)}`,
      ),
    ],
  },
  {
    page: 'german.html',
    plants: [
      plant('language_wrong', '<html lang="de">', '<html lang="en">'),
      plant('data_sparse', '"name":"Radwerk",', '', '"@type":"Organization"'),
      plant('link_vague', 'wie der Verein arbeitet</a>', 'hier</a>'),
    ],
  },
  {
    page: 'german.html',
    plants: [
      plant(
        'reading_hard',
        '<p>Du kommst mit deinem Rad vorbei und sagst uns, was nicht stimmt.',
        `<p>${'Reparaturdienstleistungsbedingungen veröffentlichen Fahrradinstandsetzungsverantwortliche gegebenenfalls werkstattöffentlich. '.repeat(16)}`,
      ),
      plant(
        'image_alternative_missing',
        ' alt="Drei Räder auf Ständern in einer hellen Werkstatt"',
        '',
        '<img src="/werkstatt',
      ),
    ],
  },
  {
    page: 'french.html',
    plants: [
      plant(
        'data_incomplete',
        '"itemListElement":[{"@type":"ListItem","position":1,"name":"Légumes","item":"https://balcon.example/legumes"},{"@type":"ListItem","position":2,"name":"Tomates"}]',
        '"itemListElement":[]',
        '"@type":"BreadcrumbList"',
      ),
      plant('heading_skipped', '<h2>Le pot et la terre</h2>', '<h3>Le pot et la terre</h3>'),
      plant('link_vague', 'Tous les légumes</a>', 'En savoir plus</a>'),
      plant(
        'card_differs',
        '<meta property="og:title" content="Cultiver des tomates sur un balcon">',
        '<meta property="og:title" content="Bienvenue !">',
      ),
    ],
  },
  {
    page: 'arabic.html',
    plants: [
      plant('title_missing', '<title>كيف تحفظ القهوة طازجة في البيت</title>', '<title></title>', '<title>'),
      plant('viewport_missing', `${viewport}\n`, '', '<head>'),
      plant('language_wrong', 'lang="ar"', 'lang="en"'),
    ],
  },
  {
    page: 'japanese.html',
    plants: [
      plant(
        'data_invalid',
        '"headline":"初めての梅干し作り",',
        '"headline":"初めての梅干し作り","datePublished":"昨日",',
        '"@type":"Article"',
      ),
      plant('h1_missing', '<h1>初めての梅干し作り</h1>', '', '<body>'),
    ],
  },
  {
    page: 'event.html',
    plants: [
      plant(
        'card_missing',
        '<meta property="og:title" content="Night walk for bats in Alder Wood, 12 June 2027">',
        '',
        '<head>',
      ),
      plant('content_thin', '<p>Bats come out when', '<!-- <p>Bats come out when', '<strong>Saturday'),
      plant(
        'image_unencrypted',
        '<h2>How to get there</h2>',
        '--><img src="http://wood.example/b.jpg" alt="Bats over a pond" width="9" height="9"><h2>How to get there</h2>',
        '<img src="http://wood',
      ),
    ],
  },
]
