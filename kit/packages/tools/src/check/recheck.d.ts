// The package has no types for its build without Java.
declare module 'recheck/lib/browser.js' {
  export * from 'recheck';
}
