/** The pages of the studio, by the part of the address after #/. */
export const pages = [
  { path: 'overview', title: 'Overview', short: 'Start', icon: 'M3 12l9-8 9 8M6 10v10h12V10' },
  { path: 'ask', title: 'Ask', icon: 'M9 9a3 3 0 115 2c-1.500 1-2 1.500-2 3M12 18h.01M12 3a9 9 0 100 18 9 9 0 000-18' },
  { path: 'answers', title: 'Answers', icon: 'M4 6h9M4 12h9M4 18h9M16 6l2 2 3-4M16 12l2 2 3-4M16 18l2 2 3-4' },
  {
    path: 'pictures',
    title: 'Web pictures',
    short: 'Web',
    icon: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9.500h.01',
  },
  {
    path: 'categories',
    title: 'Categories',
    short: 'Map',
    icon: 'M5 7a2 2 0 104 0 2 2 0 10-4 0M15 6a2 2 0 104 0 2 2 0 10-4 0M10 17a2 2 0 104 0 2 2 0 10-4 0M9 8.500l2.200 6.700M16 7.700l-3.200 7.500M9 6.800l6-.6',
  },
  { path: 'classify', title: 'Classify', icon: 'M4 8V4h4M20 8V4h-4M4 16v4h4M20 16v4h-4M8 12l3 3 5-6' },
  { path: 'compare', title: 'Compare', icon: 'M5 20V10M12 20V4M19 20v-7' },
  { path: 'export', title: 'Export', icon: 'M12 4v11M7 11l5 5 5-5M4 20h16' },
] as const;

export type PagePath = (typeof pages)[number]['path'];

export function pageOf(hash: string): PagePath {
  const path = hash.replace(/^#\/?/, '').split(/[/?]/)[0];
  return pages.find((page) => page.path === path)?.path ?? 'overview';
}
