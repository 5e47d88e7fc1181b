export type StoredDocument = { id: string; title: string; text: string; updatedAt: string }

/** The documents that `npm run dev` of daikon has registered. */
export const demoDocuments: StoredDocument[] = [
  {
    id: 'roadmap',
    title: 'Roadmap',
    text: 'What we build next, and when. First the sign-in, then everything that needs it.',
    updatedAt: '2026-11-20T09:30:00.000Z',
  },
  {
    id: 'handbook',
    title: 'Handbook',
    text: 'How we work together: meetings, holidays, reviews, and whom to ask.',
    updatedAt: '2026-11-12T14:05:00.000Z',
  },
  {
    id: 'salaries',
    title: 'Salaries',
    text: 'Who earns what. Please do not share this one.',
    updatedAt: '2026-10-01T08:00:00.000Z',
  },
]
