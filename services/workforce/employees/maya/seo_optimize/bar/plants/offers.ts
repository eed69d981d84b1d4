import { longSentence, type PlantedPage, plant } from './plant.ts'

const longTitle = 'Sourdough bakery in Leeds with fresh bread, buns and courses every day of the week | Mill Lane Bread'

/** Faults in pages that offer something: a shop, a product, an event. */
export const offerPlants: readonly PlantedPage[] = [
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
      plant('image_alternative_long', 'alt="A blue enamel kettle with a wooden handle"', `alt="${longSentence}"`),
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
