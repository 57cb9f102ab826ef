// The program without Java, which the types of the package leave out.
declare module 'recheck/lib/browser.js' {
  export * from 'recheck';
}
