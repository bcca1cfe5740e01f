// The default theme with the system's fonts: nothing is loaded from another host, nor from here.
export { default } from 'vitepress/theme-without-fonts';
