/** What `semantics:` says: which kinds of vectors describe the categories, each with what it is made from. */

/** The kind `words` takes what `vectors:` and `words:` say. */
export type SemanticKind =
  | { readonly kind: 'words' }
  | { readonly kind: 'attributes' | 'names'; readonly file: string; readonly array?: string }
  | { readonly kind: 'taxonomy'; readonly file: string }
  | {
      readonly kind: 'text';
      readonly model: string;
      readonly templates: readonly string[];
      /** Aliases, such as scientific names, go into the templates too. */
      readonly aliases: boolean;
    };

export type WrittenKind =
  | 'words'
  | { attributes: string; array?: string }
  | { names: string; array?: string }
  | { taxonomy: string }
  | { text: string; templates?: readonly string[]; aliases?: boolean };

export const defaultTemplates: readonly string[] = ['a photo of a {}.'];

export function semanticKinds(written: WrittenKind | readonly WrittenKind[] = 'words'): readonly SemanticKind[] {
  return [written].flat().map((one: WrittenKind): SemanticKind => {
    if (one === 'words') return { kind: 'words' };
    const array = 'array' in one && one.array !== undefined ? { array: one.array } : {};
    if ('attributes' in one) return { kind: 'attributes', file: one.attributes, ...array };
    if ('names' in one) return { kind: 'names', file: one.names, ...array };
    if ('taxonomy' in one) return { kind: 'taxonomy', file: one.taxonomy };
    const { text: model, templates = defaultTemplates, aliases = false } = one;
    return { kind: 'text', model, templates, aliases };
  });
}

/** `attributes=birds.csv` and the like, as options of commands have it. */
export function parseKind(text: string): WrittenKind | undefined {
  if (text === 'words') return 'words';
  const [, kind, value] = /^(attributes|names|taxonomy|text)=(.+)$/.exec(text) ?? [];
  return kind ? ({ [kind]: value } as Exclude<WrittenKind, 'words'>) : undefined;
}
