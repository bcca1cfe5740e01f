/** The part of mjml that the tests use. */
declare module 'mjml' {
  export default function mjml(
    source: string,
    options: { validationLevel: 'skip'; keepComments: boolean; fonts: Record<string, string> },
  ): Promise<{ html: string }>;
}
