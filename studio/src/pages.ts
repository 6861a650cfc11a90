/** The pages of the studio, by the part of the address after #/. */
export const pages = [
  { path: 'overview', title: 'Overview', icon: 'M3 12l9-8 9 8M6 10v10h12V10' },
  { path: 'pictures', title: 'Web pictures', icon: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9.500h.01' },
  {
    path: 'categories',
    title: 'Categories',
    icon: 'M6 7h.01M17 6h.01M12 13h.01M7 18h.01M18 17h.01M6 7l6 6 5-7M12 13l-5 5M12 13l6 4',
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
