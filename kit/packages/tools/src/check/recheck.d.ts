// The package does not come with types for its build without Java.
declare module 'recheck/lib/browser.js' {
  export * from 'recheck';
}
