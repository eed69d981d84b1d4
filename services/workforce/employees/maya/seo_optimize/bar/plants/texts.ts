import { longSentence, type PlantedPage, plant, viewport } from './plant.ts'

/** Faults in pages that one reads: a recipe, an article, questions and answers. */
export const textPlants: readonly PlantedPage[] = [
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
      plant('sentence_long', 'A tide table says so, years ahead and to the minute.', `${longSentence}.`),
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
]
