import { type PlantedPage, plant, viewport } from './plant.ts'

/** Faults in pages that are not in English. */
export const languagePlants: readonly PlantedPage[] = [
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
]
