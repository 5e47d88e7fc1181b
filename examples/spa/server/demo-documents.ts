export type StoredDocument = { id: string; title: string; text: string; updatedAt: string }

/** The documents that `npm run dev` of daikon has registered. */
export const demoDocuments: StoredDocument[] = [
  {
    id: '0d000000-0000-7000-8000-0000000000d1',
    title: 'Roadmap',
    text: 'What we build next, and when. First the sign-in, then everything that needs it.',
    updatedAt: '2026-11-20T09:30:00.000Z',
  },
  {
    id: '0d000000-0000-7000-8000-0000000000d2',
    title: 'Handbook',
    text: 'How we work together: meetings, holidays, reviews, and whom to ask.',
    updatedAt: '2026-11-12T14:05:00.000Z',
  },
  {
    id: '0d000000-0000-7000-8000-0000000000d3',
    title: 'Salaries',
    text: 'Who earns what. Please do not share this one.',
    updatedAt: '2026-10-01T08:00:00.000Z',
  },
]
