export interface Translation {
  language: string;
  messages: Record<string, string>;
  sources: Record<string, string>;
}
export function readLocales(): { english: Translation; translations: Translation[] };
export function fileOf(language: string): URL;
export function serialize(translation: Translation): string;
export interface Glossary {
  terms: Record<string, Record<string, string[]>>;
  exceptions: Record<string, Record<string, string>>;
}
export function readGlossary(): Glossary;
export function missingTerms(
  glossary: Glossary,
  english: Pick<Translation, 'messages'>,
  translation: Pick<Translation, 'language' | 'messages'>,
): string[];
export function sourceOf(message: string): string;
export function staleKeys(
  english: Pick<Translation, 'messages'>,
  translation: Pick<Translation, 'sources'>,
): string[];
