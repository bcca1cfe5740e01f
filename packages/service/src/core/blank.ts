/** Whether a text shows nothing: only white space and characters that Unicode says to ignore, such as direction marks. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(text);
}
