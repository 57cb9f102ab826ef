// What the page has of Swagger UI, in which order: its own layout has a second `main`, and no heading for the operations.

/** A plugin of Swagger UI: the layout `PageLayout`. There is one server, this one, so that no list of servers is shown. */
function pageLayout({ React: { createElement } }) {
  function PageLayout({ getComponent, specSelectors }) {
    const show = (name) => createElement(getComponent(name, true));
    const wrap = (...children) => createElement('div', { className: 'wrapper' }, ...children);
    const hasSchemes = specSelectors.securityDefinitions()?.size > 0;
    return createElement(
      'div',
      { className: 'swagger-ui' },
      wrap(show('errors'), show('InfoContainer')),
      hasSchemes && createElement('div', { className: 'scheme-container' }, wrap(show('AuthorizeBtnContainer'))),
      wrap(createElement('h2', null, 'Operations'), show('operations')),
      wrap(show('Models')),
      wrap(show('Webhooks')),
    );
  }
  return { components: { PageLayout } };
}
