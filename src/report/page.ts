/** The page around the sections. Its policy forbids everything but its own style and pictures: no script, no network. */
import { Html, type HtmlValue, html } from './html.js';
import { style } from './style.js';

export interface Section {
  /** For the address within the page. */
  id: string;
  /** What kind of results, above the title. */
  kind: string;
  title: string;
  lead?: string;
  content: HtmlValue;
}

export interface PageOptions {
  title: string;
  /** A line under the title. */
  subtitle: string;
  sections: readonly Section[];
  foot: string;
}

export function page({ title, subtitle, sections, foot }: PageOptions): string {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<header class="masthead"><div>
<h1>${title}</h1>
<p>${subtitle}</p>
${
  sections.length > 1 &&
  html`<nav aria-label="Sections"><ul>${sections.map((section) => html`<li><a href="#${section.id}">${section.title}</a></li>`)}</ul></nav>`
}
</div></header>
<main>
${sections.map(
  (section) => html`<section id="${section.id}" aria-labelledby="${section.id}-title">
<p class="kind">${section.kind}</p>
<h2 id="${section.id}-title">${section.title}</h2>
${section.lead && html`<p class="lead">${section.lead}</p>`}
${section.content}
</section>
`,
)}</main>
<footer class="foot">${foot}</footer>
</body>
</html>
`.text;
}
