function text = json(value)
%JSON  A value as JSON text, so that nothing is lost: numbers have 17 digits, and lists stay lists.
%
%   struct             object (of several: a list of objects)      {a, b, ...}   list, also of one or none
%   scalar             number, true or false; NaN and Inf: null    vector        list of numbers
%   matrix             list of rows                                'text'        text
%   []                 empty list                                  containers.Map  object with any keys
%
% {5} is the list [5], where jsonencode of MATLAB and Octave would write 5. Members of a struct that are no names in
% MATLAB, such as "poses:arm", are keys of a containers.Map.
  if ischar(value)
    text = quote(value);
  elseif isa(value, 'containers.Map')
    names = keys(value);
    text = object(names, values(value));
  elseif isstruct(value) && isscalar(value)
    text = object(fieldnames(value)', struct2cell(value)');
  elseif isstruct(value)
    text = list(arrayfun(@(entry) tendril.json(entry), value(:)', 'UniformOutput', false));
  elseif iscell(value)
    text = list(cellfun(@(entry) tendril.json(entry), value(:)', 'UniformOutput', false));
  elseif isnumeric(value) || islogical(value)
    text = numbers(value);
  elseif isa(value, 'string') && isscalar(value)
    text = quote(char(value));
  else
    error('tendril:invalid', 'a value of class %s has no JSON', class(value));
  end
end

function text = numbers(value)
  if ndims(value) > 2, error('tendril:invalid', 'arrays have two axes at the most: use cells of matrices'); end
  if isscalar(value)
    text = one(value);
  elseif isempty(value)
    text = '[]';
  elseif isvector(value)
    text = list(arrayfun(@one, value(:)', 'UniformOutput', false));
  else
    rows = cell(1, size(value, 1));
    for i = 1:numel(rows), rows{i} = list(arrayfun(@one, value(i, :), 'UniformOutput', false)); end
    text = list(rows);
  end
end

function text = one(x)
  if islogical(x)
    words = {'false', 'true'};
    text = words{x + 1};
  elseif ~isfinite(x)
    text = 'null';
  elseif isinteger(x)
    text = sprintf('%d', x);
  else
    text = sprintf('%.17g', double(x));
  end
end

function text = list(parts)
  text = ['[' join(parts) ']'];
end

function text = object(names, members)
  parts = cell(1, numel(names));
  for i = 1:numel(parts), parts{i} = [quote(names{i}) ':' tendril.json(members{i})]; end
  text = ['{' join(parts) '}'];
end

function text = join(parts)
  text = sprintf('%s,', parts{:});
  text = text(1:end - 1);
end

function text = quote(text)
  text = strrep(strrep(text(:)', '\', '\\'), '"', '\"');
  for code = unique(double(text(text < 32)))
    text = strrep(text, char(code), sprintf('\\u%04x', code));
  end
  text = ['"' text '"'];
end
