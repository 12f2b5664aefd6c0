-- Links as they are in the folder of html.sh: pages beside each other, and index.html made of the README.
local function moved(target)
  if target:match("^%a+:") or target:match("^#") then
    return target
  end
  local path, place = target:match("^([^#]*)(.*)$")
  path = path:gsub("^docs/", "")
  if path == "../README.md" then
    return "index.html" .. place
  end
  local page = path:match("^([%l_%d]+)%.md$")
  if page then
    return page .. ".html" .. place
  end
  if path:match("^images/") then
    return path
  end
  local program = path:match("examples/([%w_]+%.[ch])$") or path:match("notebooks/([%w_]+%.ipynb)$")
  if program then
    return "../examples/" .. program
  end
  return nil
end

-- What is in the sources alone keeps its words and loses its link.
function Link(link)
  local target = moved(link.target)
  if not target then
    return link.content
  end
  link.target = target
  return link
end

function Image(image)
  local source = moved(image.src)
  if not source then
    return image.caption
  end
  image.src = source
  return image
end
