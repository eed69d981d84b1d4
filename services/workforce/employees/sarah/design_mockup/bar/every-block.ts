/** A page with every kind of block. */
import type { Input } from '../result.ts'

export const everyBlock: Input = {
  title: 'Alder & Finch, a kitchen garden in a box',
  brand: 'Alder & Finch',
  keywords: ['garden'],
  navigation: { links: ['How it works', 'Prices', 'Questions'], action: 'Order a box' },
  blocks: [
    {
      hero: {
        label: 'For balconies and back yards',
        title: 'Grow dinner where you live',
        text: 'Seeds, soil and a plan for twelve weeks, packed for the space and the light that you have.',
        actions: [{ text: 'Order a box' }, { text: 'See what grows', quiet: true }],
        image: 'A wooden box with herbs on a balcony',
      },
    },
    {
      features: {
        title: 'How it works',
        text: 'Three steps, and no green thumb.',
        items: [
          { title: 'Tell us about your space', text: 'Size, direction and how much sun it gets.' },
          { title: 'Get your box', text: 'Seeds that suit it, soil, and a calendar on paper.' },
          { title: 'Pick and eat', text: 'The first salad is ready after four weeks.' },
        ],
      },
    },
    {
      stats: {
        items: [
          { label: 'Weeks to the first salad', value: '4' },
          { label: 'Kinds of seed', value: '38' },
          { label: 'Smallest space', value: '0.5 m²' },
          { label: 'Price from', value: '€ 19' },
        ],
      },
    },
    {
      testimonials: {
        quotes: [
          {
            quote: 'We had basil by May, and I have never kept a plant alive before.',
            name: 'A customer in her first year',
            role: 'Balcony, facing east',
          },
        ],
      },
    },
    {
      pricing: {
        title: 'Prices',
        text: 'One box for one season. No subscription.',
        plans: [
          {
            name: 'Window sill',
            price: '€ 19',
            per: 'a season',
            points: ['6 kinds of seed', 'Soil for two pots'],
            action: 'Choose',
          },
          {
            name: 'Balcony',
            price: '€ 39',
            per: 'a season',
            first: true,
            points: ['14 kinds of seed', 'Soil for two boxes', 'A calendar for your sun'],
            action: 'Choose',
          },
          {
            name: 'Back yard',
            price: '€ 79',
            per: 'a season',
            points: ['24 kinds of seed', 'A plan for four beds'],
            action: 'Choose',
          },
        ],
      },
    },
    {
      questions: {
        title: 'Questions',
        items: [
          { question: 'What if nothing grows?', answer: 'Write to us with a picture, and we send new seeds.' },
          { question: 'When do boxes leave?', answer: 'Each Monday from February to June.' },
        ],
      },
    },
    {
      call_to_action: {
        title: 'The season starts in March',
        text: 'Boxes are packed in the order in which they are asked for.',
        action: 'Order a box',
      },
    },
    {
      stats: {
        items: [
          { label: 'Orders', value: '128', note: '14 more than last week' },
          { label: 'Revenue', value: '€ 4,212' },
          { label: 'Returns', value: '3' },
          { label: 'Open questions', value: '7' },
        ],
      },
    },
    {
      chart: {
        title: 'Orders by day',
        half: true,
        type: 'line',
        unit: 'Orders',
        labels: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
        series: [
          { name: 'This week', values: [12, 18, 15, 22, 24, 20, 17] },
          { name: 'Last week', values: [11, 14, 16, 18, 21, 19, 15] },
        ],
      },
    },
    {
      list: {
        title: 'To do today',
        half: true,
        items: [
          { title: 'Pack 12 boxes', text: 'Balcony, leaving Monday', meta: '10:00' },
          { title: 'Answer 7 questions', meta: '12:00' },
          { title: 'Count the seeds', text: 'Basil is nearly out', meta: '16:00' },
        ],
      },
    },
    {
      table: {
        title: 'Latest orders',
        columns: ['Order', 'Customer', 'Box', 'Total'],
        rows: [
          ['1042', 'M. Duarte', 'Balcony', '€ 39.00'],
          ['1041', 'J. Lindqvist', 'Back yard', '€ 79.00'],
          ['1040', 'P. Okafor', 'Window sill', '€ 19.00'],
        ],
      },
    },
    {
      form: {
        title: 'Settings',
        fields: [
          { label: 'Shop name', value: 'Alder & Finch', required: true },
          {
            label: 'Email for orders',
            type: 'email',
            placeholder: 'orders@example.com',
            help: 'Every order is sent here.',
          },
          { label: 'Country', type: 'select', options: ['Portugal', 'Sweden', 'Germany'], value: 'Sweden' },
          { label: 'Note on the box', type: 'textarea', placeholder: 'A few words' },
          { label: 'Pack on', type: 'radio', options: ['Monday', 'Thursday'], value: 'Monday' },
          { label: 'Tell me about new orders', type: 'switch', on: true, help: 'At most once an hour.' },
          { label: 'I have read the terms', type: 'checkbox', on: true },
        ],
        action: 'Save',
        cancel: 'Cancel',
      },
    },
    {
      cards: {
        title: 'From the garden',
        text: 'What others read.',
        items: [
          {
            title: 'Basil in the rain',
            meta: '4 May',
            text: 'Twelve weeks, bed by bed.',
            image: 'Wet basil leaves',
            action: 'Read on',
          },
          { title: 'Soil in a sack', meta: '2 May' },
        ],
      },
    },
    {
      article: {
        label: 'Field notes',
        title: 'What a wet spring does',
        lead: 'Twelve weeks of rain, measured bed by bed.',
        parts: [
          { text: 'Most beds stood under water for three of the twelve weeks, and the ones on the slope did not.' },
          { heading: 'What grew', text: 'Leeks, leeks and leeks.' },
          { quote: 'I have never seen so many snails.' },
        ],
      },
    },
    {
      image: { image: 'The beds from above', caption: 'Drawn in June' },
    },
  ],
  footer: {
    columns: [
      { title: 'Garden', links: ['Seeds', 'Soil', 'Calendar'] },
      { title: 'Company', links: ['About', 'Jobs'] },
      { title: 'Help', links: ['Delivery', 'Returns', 'Contact'] },
    ],
    note: '© Alder & Finch',
  },
}
