/** Outlines in a 24 by 24 view box, drawn with a stroke. */
const outlines = {
  activity: 'M3 12h4l3 8 4-16 3 8h4',
  alert:
    'M12 9v4m0 4h.01M10.3 4.2 2.6 17.5A2 2 0 0 0 4.3 20.5h15.4a2 2 0 0 0 1.7-3L13.7 4.2a2 2 0 0 0-3.4 0z',
  arrowRight: 'M5 12h14m-6-6 6 6-6 6',
  bookmark: 'M6 4h12v16l-6-4-6 4z',
  building:
    'M4 21V5a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v16M16 9h2a2 2 0 0 1 2 2v10M2 21h20M8 7h4M8 11h4M8 15h4',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  chevronDown: 'm6 9 6 6 6-6',
  chevronLeft: 'm15 6-6 6 6 6',
  chevronRight: 'm9 6 6 6-6 6',
  close: 'M6 6l12 12M18 6 6 18',
  columns: 'M4 5h16v14H4zM10 5v14M15 5v14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  desktop: 'M3 5h18v11H3zM8 20h8m-4-4v4',
  dots: 'M5 12h.01M12 12h.01M19 12h.01',
  download: 'M12 4v11m0 0 4-4m-4 4-4-4M4 20h16',
  external: 'M14 4h6v6M20 4l-9 9M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5',
  file: 'M14 3v5h5M14 3H6a1 1 0 0 0-1 1v16a1 1 0 0 0 1 1h12a1 1 0 0 0 1-1V8z',
  help: 'M9.2 9a3 3 0 1 1 4.6 2.6c-1 .6-1.8 1.3-1.8 2.4m0 3h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
  home: 'M4 11.5 12 4l8 7.5M6 10v10h12V10M10 20v-6h4v6',
  key: 'M15 9h.01M9.5 13.5 3 20v1h3v-2h2v-2h2l1.5-1.5A6 6 0 1 0 9.5 13.5z',
  lock: 'M6 11h12v10H6zM8 11V8a4 4 0 0 1 8 0v3',
  menu: 'M4 7h16M4 12h16M4 17h16',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  plus: 'M12 5v14M5 12h14',
  refresh: 'M20 11a8 8 0 0 0-14.5-3.5L4 9m0-5v5h5M4 13a8 8 0 0 0 14.5 3.5L20 15m0 5v-5h-5',
  robot: 'M5 9h14v11H5zM12 9V5m0-1h.01M9 13h.01M15 13h.01M9 17h6M2 13v3m20-3v3',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  selector: 'm8 9 4-4 4 4m0 6-4 4-4-4',
  send: 'M21 3 10 14M21 3l-7 18-4-7-7-4z',
  share:
    'M18 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM18 22a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8.6 13.5l6.8 4M15.4 6.5l-6.8 4',
  signOut: 'M15 4h3a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1h-3M10 8l-4 4 4 4M6 12h9',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2m0 16v2M4.9 4.9l1.4 1.4m11.4 11.4 1.4 1.4M2 12h2m16 0h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  terminal: 'M3 5h18v14H3zM7 9l3 3-3 3M12 15h4',
  trash: 'M4 7h16M10 11v6M14 11v6M6 7l1 13h10l1-13M9 7V4h6v3',
  upload: 'M12 16V5m0 0 4 4m-4-4-4 4M4 20h16',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 3.6-6 8-6s8 2 8 6',
  users:
    'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 20c0-3.5 3-5.5 7-5.5s7 2 7 5.5M16 3.3a4 4 0 0 1 0 7.4M18.5 14.9c2.1.7 3.5 2.3 3.5 5.1',
  window: 'M3 5h18v14H3zM3 9h18M6.5 7h.01M9 7h.01',
} as const

export type IconName = keyof typeof outlines

/** A decorative icon. The adjacent text or the label of its button conveys the meaning. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'dots' ? 3 : 1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={outlines[name]} />
    </svg>
  )
}
