export interface Translation {
  language: string;
  messages: Record<string, string>;
  sources: Record<string, string>;
}
export function readLocales(): { english: Translation; translations: Translation[] };
export function fileOf(language: string): URL;
export function serialize(translation: Translation): string;
export function sourceOf(message: string): string;
export function staleKeys(
  english: Pick<Translation, 'messages'>,
  translation: Pick<Translation, 'sources'>,
): string[];
