// The package has no types for the build that does not use Java.
declare module 'recheck/lib/browser.js' {
  export * from 'recheck';
}
